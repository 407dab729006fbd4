create table t (id int primary key, tenant text not null);
