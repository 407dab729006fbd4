insert into t select g, '2024-01-01', '2024-01-01', g from generate_series(1, 400) g;
update t set v = 'no date' where id in (7, 8);
update t set day = 'infinity' where id = 9;
