update t set deleted_at = now() where id = 1;
update t set deleted_at = null where id = 3;
insert into t values (1001, 'in', null), (1002, 'out', now());
-- when: during the load
update t set deleted_at = now() where id = 4;
update t set deleted_at = null where id = 6;
begin; update t set deleted_at = now() where id = 7; update t set deleted_at = null where id = 7; update t set name = 'twice' where id = 7; commit;
begin; insert into t values (1003, 'x', null); update t set deleted_at = now() where id = 1003; commit;
update t set id = 2000 where id = 8;
update t set id = 2001, deleted_at = now() where id = 10;
delete from t where id = 11;
-- when: after the load
update t set deleted_at = null where id = 9;
update t set deleted_at = now() where id = 13;
-- when: before the swap
update t set deleted_at = now() where id = 14;
update t set deleted_at = null where id = 15;
