create table t (email text primary key, day date);
