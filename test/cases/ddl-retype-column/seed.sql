insert into t select g, 'v', g from generate_series(1, 600) g;
