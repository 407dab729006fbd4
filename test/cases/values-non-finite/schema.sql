create table t (id int primary key, a numeric, b double precision, c real[]);
