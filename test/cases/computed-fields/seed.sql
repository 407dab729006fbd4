insert into t select g, 'Name ' || g, g * 1.10, g % 7, jsonb_build_object('brand', 'B' || g % 5, 'dims', jsonb_build_array(g, 1.50)), repeat('x', 5000) from generate_series(1, 200) g;
insert into t values (1000, null, null, null, null, null);
