insert into t values (1, '{"a": 1}'), (2, '{"a": 1, "b": 2}'), (3, '{}');
