begin; delete from t where id = 1;
-- session: b, in the background
update t set id = 1 where id = 2;
-- session: a
insert into t values (1, 'A'); delete from t where id = 1; commit;
