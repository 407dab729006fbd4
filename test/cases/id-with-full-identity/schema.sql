create table t (code text not null unique, v text, body text); alter table t alter column body set storage external; alter table t replica identity full;
