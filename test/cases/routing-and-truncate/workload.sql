delete from t where id = 1 and length(tenant) > 500;
-- when: after the load
update t set tenant = repeat('n', 700) where tenant = 'b' and id = 2;
begin; truncate t; insert into t values ('a', 1), (repeat('n', 600), 2); commit;
update t set tenant = 'n' where id = 2;
