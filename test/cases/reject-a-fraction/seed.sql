insert into t values (1, 1.7), (2, 2);
