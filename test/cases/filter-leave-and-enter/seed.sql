insert into t select g, 'name ' || g, case when g % 3 = 0 then now() end from generate_series(1, 300) g;
