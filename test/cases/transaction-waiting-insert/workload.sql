begin; delete from t where id = 1;
-- session: b, in the background
begin; insert into t values (1, 'from B'); commit;
-- session: a
insert into t values (1, 'A'); delete from t where id = 1; commit;
