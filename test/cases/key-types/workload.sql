update t set v = -1 where x = 'x\:1';
-- when: during the load
update t set m = 'sad' where x = 'x\:3';
update t set at = at + interval '1 microsecond' where x = 'x\:5';
delete from t where x = 'x\:7';
update t set x = 'x:' || v where v between 10 and 20;
