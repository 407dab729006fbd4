create table t (pk int primary key, code text not null); create unique index on t (code) where pk > 0; alter table t replica identity full;
