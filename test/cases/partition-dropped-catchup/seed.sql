insert into t select g, date '2024-01-01' + g % 90, 'v' || g from generate_series(1, 300) g;
