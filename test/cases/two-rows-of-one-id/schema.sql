create table t (pk int primary key, code text not null unique, v int); alter table t replica identity full;
