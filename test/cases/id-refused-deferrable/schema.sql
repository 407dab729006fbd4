create table t (pk int primary key, code text not null unique deferrable); alter table t replica identity full;
