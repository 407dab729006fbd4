create table t (id numeric primary key, v text);
