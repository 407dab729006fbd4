create table t (a text, b text, v int, primary key (a, b));
