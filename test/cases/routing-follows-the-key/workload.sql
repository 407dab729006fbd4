update t set tenant = 'b' where id = 2;
delete from t where tenant = 'gone';
-- when: during the load
update t set tenant = 'b' where id = 3;
begin; update t set tenant = 'x' where id = 4; update t set tenant = 'c' where id = 4; commit;
begin; update t set tenant = 'd' where id = 5; delete from t where id = 5; commit;
begin; delete from t where id = 6; insert into t values ('f', 6, 'again'); commit;
update t set tenant = 'e', body = 'changed' where id = 7;
delete from t where id = 11;
-- when: after the load
begin; update t set tenant = 'e' where id = 1; update t set tenant = 'a' where id = 1; commit;
update t set body = 'later' where id = 10;
