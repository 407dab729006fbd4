update t set v = null where id = 2;
update t set v = '' where id = 1;
update t set v = E'\\N' where id = 4;
