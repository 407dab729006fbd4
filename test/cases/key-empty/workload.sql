-- when: after the load
update t set v = 9 where id = 'a';
