-- when: during the load
update t set k = 'z' where k = 'a';
update t set k = 'a' where k = 'c';
