-- when: after the load
update t set v = 'no address' where id = 1;
