create table t (id text primary key, v int);
