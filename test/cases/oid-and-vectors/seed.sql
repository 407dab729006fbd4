insert into t select g + 4000000000, '1 2 3', '4 5', 'pg_class', array[g]::oid[] from generate_series(1, 20) g;
