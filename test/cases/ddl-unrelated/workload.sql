create index on t (n);
alter table other add column x int default 1;
create table third (id int);
analyze t;
alter table t set (fillfactor = 90);
comment on table t is 'x';
-- when: after the load
drop table other;
alter table t alter column n set default 7;
insert into t (id, v) values (999, 'd');
