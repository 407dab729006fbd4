begin; insert into t values (1000, 'before'); truncate t; insert into t values (1, 'after'), (2, 'x'); delete from t where id = 2; commit;
