-- when: between chunks
alter table t alter column v type text using upper(v), alter column n type bigint;
