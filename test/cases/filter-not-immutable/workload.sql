insert into t values (3, '2999-01-01');
