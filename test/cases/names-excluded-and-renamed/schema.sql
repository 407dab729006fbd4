create table t (id int primary key, full_name text, password_hash text, v int);
