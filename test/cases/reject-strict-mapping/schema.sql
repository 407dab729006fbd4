create table t (id int primary key, doc jsonb);
