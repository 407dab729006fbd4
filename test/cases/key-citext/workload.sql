update t set v = 0 where id = 'NAME1';
update t set id = 'NAME2' where id = 'name2';
-- when: during the load
update t set v = 7 where id = 'name3';
