update t set v = 'w' where code = 'c1';
update t set code = 'moved' where code = 'c2';
-- when: during the load
update t set v = 'w' where code = 'c3';
delete from t where code = 'c4';
update t set code = 'c4' where code = 'c5';
