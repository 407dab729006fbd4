create table t (id int primary key, v text, body text); alter table t alter column body set storage external; alter table t replica identity full;
