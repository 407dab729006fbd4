create table t (id serial primary key, v text); create table other (id int primary key); create table child (id int references t);
