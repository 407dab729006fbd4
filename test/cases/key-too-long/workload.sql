insert into t values (repeat('n', 800), 5);
-- when: after the load
update t set id = 'short' where id = repeat('m', 513);
delete from t where id = repeat('d', 700);
