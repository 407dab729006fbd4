-- when: after the load
update t set tenant = 'a' where id = 2;
delete from t where id = 3;
