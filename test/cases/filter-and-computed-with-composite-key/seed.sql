insert into t select 'b:' || g, g % 10, case when g % 2 = 0 then 'x' else 'y' end, g from generate_series(1, 200) g;
