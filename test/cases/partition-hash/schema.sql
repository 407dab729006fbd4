create table t (id bigint primary key, v text) partition by hash (id);
create table t_0 partition of t for values with (modulus 4, remainder 0);
create table t_1 partition of t for values with (modulus 4, remainder 1);
create table t_2 partition of t for values with (modulus 4, remainder 2);
create table t_3 partition of t for values with (modulus 4, remainder 3);
