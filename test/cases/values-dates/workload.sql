update t set d = 'infinity' where id = 1;
insert into t values (4, '-infinity', '2024-01-01', null);
