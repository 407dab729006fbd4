-- when: between chunks
truncate t_1;
