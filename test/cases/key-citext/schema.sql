create extension citext;
create table t (id citext primary key, v int, big text); alter table t alter column big set storage external;
