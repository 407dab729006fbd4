insert into t select g, 'n' || g, 'secret', g from generate_series(1, 20) g;
