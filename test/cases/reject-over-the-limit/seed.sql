insert into t select g, 'x' from generate_series(1, 3) g;
