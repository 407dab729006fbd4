insert into t (v) select 'v' from generate_series(1, 100) g; insert into other values (1); insert into child values (1);
