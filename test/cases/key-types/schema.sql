create type mood as enum ('sad', 'ok: fine');
create table t (at timestamptz, v int, u uuid, m mood, d date, x text, primary key (x, m, u, at, d));
