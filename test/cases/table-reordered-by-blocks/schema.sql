create table t (id int primary key, v text) with (fillfactor = 100);
