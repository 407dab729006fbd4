-- when: during the load
update t set name = 'A2' where id = 1;
-- when: before the swap
update t set name = 'A3' where id = 1;
