update t set v = 'w' where no = 'n1';
update t set no = 'moved' where no = 'n2';
-- when: during the load
update t set pk = 5000 where no = 'n3';
delete from t where no = 'n4';
update t set tenant = 9 where no = 'n5';
begin; update t set no = 'tmp' where no = 'n6'; update t set no = 'n6' where no = 'n7'; update t set no = 'n7' where no = 'tmp'; commit;
insert into t (tenant, no, v) values (7, 'new', 'x');
