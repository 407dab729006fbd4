insert into t select g, case when g % 2 = 0 then 'x' else 'y' end, 'v' from generate_series(1, 200) g;
