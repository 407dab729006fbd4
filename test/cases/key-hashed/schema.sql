create table t (id text primary key, v int);
create view expected as select id, v from t;
