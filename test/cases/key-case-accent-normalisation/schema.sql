create table t (id text collate "C" primary key, v int);
