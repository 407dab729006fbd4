insert into t select g, repeat('v', 700) from generate_series(1, 2000) g;
