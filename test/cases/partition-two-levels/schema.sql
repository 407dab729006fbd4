create table t (id int, kind text, v text, primary key (id, kind)) partition by list (kind);
create table t_x partition of t for values in ('x') partition by hash (id);
create table t_x0 partition of t_x for values with (modulus 2, remainder 0);
create table t_x1 partition of t_x for values with (modulus 2, remainder 1);
create table t_y partition of t for values in ('y');
