create table t (id int primary key, v text, n int); create table other (id int primary key);
