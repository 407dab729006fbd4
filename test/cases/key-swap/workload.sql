update t set id = 1000 where id = 1;
begin; update t set id = -2 where id = 2; update t set id = 2 where id = 3; update t set id = 3 where id = -2; commit;
-- when: during the load
begin; update t set id = 999 where id = 10; update t set id = 10 where id = 11; update t set id = 11 where id = 999; commit;
update t set id = id + 5000 where id between 50 and 60;
begin; delete from t where id = 70; insert into t values (70, 'again'); update t set id = 71000 where id = 71; insert into t values (71, 'new 71'); commit;
