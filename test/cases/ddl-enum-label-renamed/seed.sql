insert into t select g, 'ok' from generate_series(1, 50) g;
