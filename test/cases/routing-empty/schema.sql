create table t (tenant text, id int, primary key (tenant, id));
