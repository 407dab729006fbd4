insert into t values (1, 'old'), (2, 'x');
