-- when: during the load
update t set full_name = 'x', password_hash = 'other' where id = 1;
update t set id = 99 where id = 2;
