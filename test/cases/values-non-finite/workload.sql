update t set a = 'NaN' where id = 3;
insert into t values (4, 'Infinity', 0, null);
