insert into t values (2, 0);
