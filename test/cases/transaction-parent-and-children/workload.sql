begin; insert into parent values (1001, 'both'); insert into child values (5001, 1001, 'first'), (5002, 1001, 'second'); commit;
-- when: during the load
begin; insert into parent values (1002, 'beside the load'); insert into child values (5003, 1002, 'third'); insert into child values (5004, 1002, 'fourth'); update parent set name = 'renamed' where id = 1002; commit;
begin; update child set parent = 1001 where id = 5003; delete from child where id = 5001; commit;
begin; delete from child where parent = 7; delete from parent where id = 7; commit;
-- when: after the load
begin; insert into parent values (1003, 'behind the load'); insert into child values (5005, 1003, 'fifth'), (5006, 1003, 'sixth'); commit;
update child set name = 'another name' where id = 5002;
