insert into t select 'Key' || g, g, repeat('y', 4000) from generate_series(1, 30) g;
