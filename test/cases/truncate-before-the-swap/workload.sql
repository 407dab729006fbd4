-- when: before the swap
truncate t;
insert into t values (7, 'new');
