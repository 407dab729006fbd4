-- when: after the load
drop table t_1;
