insert into t select 'k' || g, g from generate_series(1, 500) g;
insert into t values (repeat('k', 600), 1), (repeat('m', 513), 2), (repeat('ü', 256), 3), (repeat('d', 700), 4);
