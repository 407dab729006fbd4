create table t (id int primary key, name text, deleted_at timestamptz);
