insert into t (id, a) select g, g from generate_series(1, 50) g;
