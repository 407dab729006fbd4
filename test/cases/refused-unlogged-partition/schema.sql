create table t (id int primary key) partition by range (id); create unlogged table t_1 partition of t default;
