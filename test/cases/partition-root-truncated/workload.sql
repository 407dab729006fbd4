-- when: after the load
truncate t;
insert into t values (1, '2024-01-05', 'one'), (2, '2030-01-01', 'two');
