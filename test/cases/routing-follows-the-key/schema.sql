create table t (tenant text, id int, body text, primary key (tenant, id)); alter table t alter column body set storage external;
