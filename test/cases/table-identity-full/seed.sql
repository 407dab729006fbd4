insert into t select g, 'v', repeat('b', 5000) from generate_series(1, 50) g;
