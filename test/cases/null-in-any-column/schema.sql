create table t (id int primary key, region text, day date, v int);
create index t_region on t (region, day); cluster t using t_region;
