update t set region = 9 where id = 1;
-- when: during the load
update t set id = 100 where id = 2;
delete from t where id = 3;
update t set v = 'w' where id = 4;
