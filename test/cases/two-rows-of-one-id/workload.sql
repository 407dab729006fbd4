alter table t drop constraint t_code_key;
insert into t values (1000, 'c7', -1);
