create table t (id oid primary key, v int2vector, w oidvector, r regclass, a oid[]);
create view expected as select id, v::text as v, w::text as w, r, a from t;
