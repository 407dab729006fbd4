-- when: during the load
update t set v = 'b';
