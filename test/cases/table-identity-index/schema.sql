create table t (id int primary key, region int not null, v text); create unique index t_ri on t (region, id); alter table t replica identity using index t_ri;
