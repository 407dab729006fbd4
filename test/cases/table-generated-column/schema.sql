create table t (id int primary key, a int, c int generated always as (a * 2) stored);
