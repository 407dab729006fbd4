create table t (pk serial primary key, tenant int not null, no text not null, v text);
create unique index t_id on t (no, tenant); alter table t replica identity using index t_id; create view expected as select * from t;
