update t set kind = 'y' where b = 'b:2';
-- when: during the load
update t set v = -v where a = 3;
update t set kind = 'x', v = 5 where b = 'b:7';
insert into t values ('n', 1, 'x', -1), ('n', 2, 'y', 9);
