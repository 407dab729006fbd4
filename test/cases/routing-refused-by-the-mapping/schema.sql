create table t (id int, tenant text, primary key (tenant, id));
