-- A partition column that may be NULL cannot be in a primary key, and must be.
create table t (id int not null, region text, v int) partition by list (region);
create table t_none partition of t for values in (null); create table t_rest partition of t default;
create unique index on t_none (id); create unique index on t_rest (id);
