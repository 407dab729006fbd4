-- when: after the load
truncate t_1;
