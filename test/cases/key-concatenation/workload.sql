-- when: during the load
delete from t where a = 'x' and b = '-y';
delete from t where a = 'x:' and b = 'y';
update t set v = 40 where b = ':y';
