insert into t select g, 'a' from generate_series(1, 500) g;
