create table t (k text, v int, primary key (k)) partition by list (k);
create table t_a partition of t for values in ('a', 'b');
create table t_n partition of t default;
