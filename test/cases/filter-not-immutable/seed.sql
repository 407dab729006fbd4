insert into t values (1, '2000-01-01'), (2, '2999-01-01');
