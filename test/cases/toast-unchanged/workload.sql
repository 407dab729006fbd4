update t set n = n + 1 where id <= 10;
update t set body = null where id = 11;
update t set id = 1012 where id = 12;
begin; insert into t values (50, 1, repeat('i', 20000), null, null); update t set n = 2 where id = 50; update t set id = 51 where id = 50; commit;
-- when: during the load
update t set n = -1 where id between 20 and 30;
begin; update t set body = 'x' where id = 31; update t set n = 5 where id = 31; commit;
begin; update t set n = 6 where id = 32; delete from t where id = 32; insert into t values (32, 7, repeat('j', 20000)); update t set n = 8 where id = 32; commit;
update t set tags = null, n = 9 where id = 33;
