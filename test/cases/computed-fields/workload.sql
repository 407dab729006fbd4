update t set name = 'CHANGED' where id = 1;
update t set price = 12345678901234567890.10 where id = 2;
insert into t values (1001, 'New', 2.50, 3, '{"brand": null}', null);
-- when: during the load
update t set quantity = quantity + 1 where id between 10 and 20;
update t set attributes = null where id = 21;
update t set id = 3000 where id = 22;
delete from t where id = 23;
-- when: before the swap
update t set name = 'LAST' where id = 24;
