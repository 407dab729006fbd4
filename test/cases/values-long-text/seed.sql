insert into t select g, repeat('long ', 8000), repeat('x', 40000), (select jsonb_object_agg('key_' || g || '_' || i, i) from generate_series(1, 300) i) from generate_series(1, 6) g;
