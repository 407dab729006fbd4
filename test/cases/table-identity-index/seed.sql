insert into t select g, g % 3, 'v' from generate_series(1, 50) g;
