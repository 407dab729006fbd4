-- when: after the load
create table t_n (like t including all); insert into t_n values (2000, '2024-06-05', 'new'); alter table t attach partition t_n for values from ('2024-06-01') to ('2024-07-01');
