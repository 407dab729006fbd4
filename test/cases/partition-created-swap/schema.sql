create table t (id int, day date, v text, primary key (id, day)) partition by range (day);
create table t_1 partition of t for values from ('2024-01-01') to ('2024-02-01');
create table t_2 (v text, day date not null, id int not null, primary key (id, day)); alter table t attach partition t_2 for values from ('2024-02-01') to ('2024-03-01');

create table t_d partition of t for values from ('2024-03-01') to ('2024-06-01');
