insert into t select x, g from generate_series(1, 20) g, (values ('a'), ('b'), (repeat('k', 600))) as v(x);
