create table t (b text, a int, kind text, v int, primary key (a, b, kind)) partition by list (kind);

create table t_x partition of t for values in ('x');
create table t_y (v int, kind text not null, a int not null, b text not null, primary key (a, b, kind));
alter table t attach partition t_y for values in ('y');
create view expected as select b, a, kind, v, v * 2 as double from t;
