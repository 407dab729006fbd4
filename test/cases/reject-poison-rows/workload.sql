insert into t values (500, 'poison', '2024-01-01', 1), (501, '2024-01-05', '2024-01-01', 1);
update t set v = 'poison' where id = 20;
-- when: after the load
update t set v = '2024-01-06' where id = 7;
update t set day = '2024-02-02' where id = 9;
delete from t where id = 500;
update t set v = 'again' where id = 21;
