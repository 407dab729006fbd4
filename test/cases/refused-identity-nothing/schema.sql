create table t (id int primary key); alter table t replica identity nothing;
