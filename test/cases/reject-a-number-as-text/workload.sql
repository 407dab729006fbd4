insert into t values (3, null, 1.7), (4, null, 4.0);
