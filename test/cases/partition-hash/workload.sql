-- when: during the load
update t set id = id + 1000 where id % 7 = 0;
delete from t where id % 11 = 0;
update t set v = 'w' where id % 5 = 0;
