insert into t select g, 'v', g % 5 from generate_series(1, 100) g;
