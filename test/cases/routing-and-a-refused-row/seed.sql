insert into t values ('a', 1, null), ('b', 2, 'no address'), ('c', 3, null);
