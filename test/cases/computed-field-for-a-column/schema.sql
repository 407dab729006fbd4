create table t (id int primary key, email text, k0 int, t text, secret text);
create view expected as select id, 'x' || length(email) as email, k0, t, k0 + 1 as next from t;
