create table t (id int primary key, d date, ts timestamptz not null default now(), l timestamp);
create view expected as select id, nullif(nullif(d, 'infinity'), '-infinity') as d, case when isfinite(ts) then ts end as ts, l from t;
