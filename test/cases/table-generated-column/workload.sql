update t set a = 100 where id = 1;
-- when: during the load
update t set a = null where id = 2;
insert into t (id, a) values (60, 7);
