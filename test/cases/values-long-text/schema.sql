create table t (id int primary key, a text, b varchar(50000), j jsonb);
