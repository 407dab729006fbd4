create type mood as enum ('sad', 'ok'); create table t (id int primary key, m mood);
