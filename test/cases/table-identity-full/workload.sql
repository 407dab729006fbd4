update t set v = 'w' where id = 1;
update t set body = null where id = 2;
-- when: during the load
update t set id = 100 where id = 3;
delete from t where id = 4;
begin; update t set v = 'x' where id = 5; update t set body = 'short' where id = 5; update t set v = 'y' where id = 5; commit;
