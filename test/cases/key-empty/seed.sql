insert into t values ('', 1), ('a', 2), ('b', 3);
