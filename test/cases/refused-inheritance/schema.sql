create table t (id int primary key); create table c () inherits (t);
