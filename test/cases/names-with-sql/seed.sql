insert into "Odd Schema"."Table" select g, 's' || g, g % 7, g, g, g from generate_series(1, 50) g;
