update t set email = 'longer-address@example.org', k0 = 77 where id = 5;
-- when: during the load
update t set t = 'other', k0 = null where id = 6;
insert into t values (60, 'a', 1, 'b', 'c');
