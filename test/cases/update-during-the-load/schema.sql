create table t (id int primary key, name text);
