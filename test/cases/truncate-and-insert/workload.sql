-- when: during the load
-- session: b
select 1;
-- when: after the load
truncate t;
insert into t values (1, 'only');
