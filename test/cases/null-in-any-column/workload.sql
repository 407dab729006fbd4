insert into t values (1001, null, null, null), (1002, 'region 1', null, 1);
update t set region = null where id = 1;
update t set region = 'region 9' where id = 3;
-- when: between chunks
insert into t values (1003, null, '2024-02-02', null);
update t set region = null, day = null, v = null where id between 400 and 410;
delete from t where id = 6;
-- when: after the load
update t set day = null where id = 2;
insert into t values (1004, null, null, null);
