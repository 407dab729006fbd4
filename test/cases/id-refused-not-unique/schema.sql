create table t (pk int primary key, code text not null); alter table t replica identity full;
