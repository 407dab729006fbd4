insert into t select g, 0, repeat(md5(g::text), 400), (select array_agg(md5((g * i)::text)) from generate_series(1, 200) i), jsonb_build_object('k', repeat('z', 9000)) from generate_series(1, 40) g;
