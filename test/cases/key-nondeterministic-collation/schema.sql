create collation ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
create table t (id text collate ci primary key, v int, big text); alter table t alter column big set storage external;
