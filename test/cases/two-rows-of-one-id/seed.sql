insert into t select g, 'c' || g, g from generate_series(1, 50) g;
