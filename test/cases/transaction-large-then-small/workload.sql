update t set v = '1';
update t set v = '2' where id = 1000;
-- when: during the load
update t set v = '3' where id > 1;
update t set v = '4' where id = 1000;
