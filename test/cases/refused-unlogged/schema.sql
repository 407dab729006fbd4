create unlogged table t (id int primary key);
