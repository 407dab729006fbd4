insert into t values (1, 'NaN', 'Infinity', '{1,NaN}'), (2, 1.5, '-Infinity', null), (3, 2, 3, '{}');
