update t set v = 'w' where id = 1;
update t set day = '2024-02-10' where id = 2;
-- when: during the load
update t set day = '2024-05-01' where id between 10 and 20;
update t_2 set v = 'by the leaf' where id = 40;
delete from t where id = 30;
insert into t values (1000, '2030-01-01', 'far');
