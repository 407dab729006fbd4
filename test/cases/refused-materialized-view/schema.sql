create table b (id int primary key); create materialized view t as select * from b; create unique index on t (id);
