update t set id = 'KEY1' where id = 'key1';
-- when: during the load
update t set v = 0 where id = 'kEy2';
update t set id = 'key3', v = 1 where id = 'KEY3';
delete from t where id = 'KEY4';
