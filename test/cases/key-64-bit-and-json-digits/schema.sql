create table t (id bigint primary key, n bigint, j jsonb, k json);
