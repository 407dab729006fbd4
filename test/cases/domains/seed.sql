insert into t select g, g, g * 1.5, g, 'c' || g, array[timestamptz '2024-01-01 00:00:00+00'], array[g, null]::positive[] from generate_series(1, 20) g;
