-- when: during the load
update t set j = j || '{"more": 1}' where id = 1;
