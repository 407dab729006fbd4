insert into t (id, c1, c1599) select g, g, -g from generate_series(1, 5) g;
