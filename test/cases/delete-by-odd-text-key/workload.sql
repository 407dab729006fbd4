-- when: during the load
delete from t where v in (1, 3, 4, 6);
update t set v = 20 where v = 2;
