create table t (id int primary key, j jsonb, k json, r real, d double precision, at timestamptz, x numeric);
