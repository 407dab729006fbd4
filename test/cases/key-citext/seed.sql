insert into t select 'Name' || g, g, repeat('y', 4000) from generate_series(1, 30) g;
