insert into t values (1, null, 1), (2, 'north', 2);
