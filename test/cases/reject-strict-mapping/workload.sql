insert into t values (4, '{"c": 1}'), (5, '{"a": 5}');
