update t set v = v + 100 where id = U&'cafe\0301';
-- when: during the load
delete from t where id = U&'caf\00e9';
update t set id = upper(id) where id = 'cafe';
