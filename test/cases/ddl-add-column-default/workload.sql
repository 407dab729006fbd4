-- when: after the verification
alter table t add column x int default 5;
