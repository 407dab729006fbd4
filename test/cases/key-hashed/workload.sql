-- when: during the load
update t set v = -1 where v = 1;
delete from t where v = 2;
update t set id = 'moved' where v = 3;
update t set id = repeat('n', 600) where id = 'plain';
