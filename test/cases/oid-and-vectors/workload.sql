-- when: during the load
update t set v = '', a = null where id = 4000000001;
delete from t where id = 4000000002;
