cluster t using t_pkey;
-- session: b
update t set v = 'w' where id < 50;
-- when: after the load
cluster t using t_pkey;
-- session: b
delete from t where id < 10;
