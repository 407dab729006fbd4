create table b (id int primary key); create view t as select * from b;
