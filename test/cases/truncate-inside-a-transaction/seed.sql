insert into t select g, 'v' from generate_series(1, 100) g;
