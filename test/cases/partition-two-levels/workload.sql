-- when: during the load
update t set kind = 'x' where id % 10 = 1;
update t set id = id + 1000 where id % 10 = 2;
delete from t where id % 10 = 3;
insert into t values (5000, 'x', 'n'), (5001, 'y', 'n');
