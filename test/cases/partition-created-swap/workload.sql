-- when: after the verification
create table t_n partition of t for values from ('2024-06-01') to ('2024-07-01'); insert into t values (2000, '2024-06-05', 'new');
