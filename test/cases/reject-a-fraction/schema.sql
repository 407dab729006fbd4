create table t (id int primary key, n numeric);
