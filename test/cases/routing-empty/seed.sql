insert into t values ('', 1), ('', 2), ('', 3), ('a', 4);
