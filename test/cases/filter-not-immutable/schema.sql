create table t (id int primary key, at timestamptz);
