insert into t values (3, 3.5), (4, 4.0);
