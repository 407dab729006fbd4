-- when: during the load
update t set c800 = 7 where id = 3;
delete from t where id = 4;
