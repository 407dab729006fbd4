-- when: after the verification
truncate t_1;
