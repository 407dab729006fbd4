insert into t (tenant, no, v) select g % 4, 'n' || g, 'v' from generate_series(1, 100) g;
