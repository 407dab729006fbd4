delete from t where id between 1 and 200;
-- when: during the load
vacuum t;
-- session: b
update t set v = repeat('w', 900) where id between 1500 and 2000;
insert into t select g, 'n' from generate_series(3001, 3200) g;
