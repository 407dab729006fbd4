create table t (pk int primary key, code text not null unique);
