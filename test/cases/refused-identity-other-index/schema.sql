create table t (id int primary key, c int not null unique); alter table t replica identity using index t_c_key;
