insert into "Odd Schema"."Ta.b""le" select g, 's' || g, g, 'q', 'ü', '{}', g, g, repeat('x', 4000) from generate_series(1, 50) g;
