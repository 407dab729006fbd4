-- when: after the verification
alter table t detach partition t_1;
