-- when: between chunks
create table t2 (like t including all); alter table t rename to t_old; alter table t2 rename to t;
