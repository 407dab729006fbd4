create table t (id text primary key, day date);
