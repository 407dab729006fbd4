insert into t values (1, '1', 1), (2, null, 2);
