truncate t, other restart identity cascade;
insert into t (v) values ('one'), ('two');
