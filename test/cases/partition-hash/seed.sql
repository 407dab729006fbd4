insert into t select g, 'v' from generate_series(1, 400) g;
