create table t (pk int primary key, code text unique); alter table t replica identity full;
