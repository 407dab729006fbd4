insert into t select 'c' || g, 'v', repeat('z', 4000) from generate_series(1, 100) g;
