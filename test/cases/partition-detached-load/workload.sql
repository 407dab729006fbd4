-- when: between chunks
alter table t detach partition t_1;
