create table t (tenant text, id int, v text, primary key (tenant, id));
