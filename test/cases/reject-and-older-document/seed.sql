insert into t select g, '2024-01-01' from generate_series(1, 20) g;
