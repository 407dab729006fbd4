insert into t select g, case when g % 3 > 0 then 'region ' || g % 5 end, case when g % 4 > 0 then date '2024-01-01' + g % 60 end, nullif(g % 7, 0) from generate_series(1, 600) g;
cluster t;
