-- when: after the load
drop table t; create table t (id int primary key, v text, n int);
