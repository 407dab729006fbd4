update t set id = 1.00 where id = 1;
-- when: during the load
update t set id = 2.5, v = 'x' where id = 2.5;
insert into t values (12345678901234567890.123456789, 'long');
