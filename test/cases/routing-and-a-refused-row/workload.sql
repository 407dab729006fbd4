-- when: after the load
update t set v = 'no number' where id = 1;
