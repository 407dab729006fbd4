create table t (id int primary key, name text, price numeric, quantity int, attributes jsonb, body text);
alter table t alter column body set storage external;
create view expected as select id, name, price, quantity, attributes, body, lower(name) as lower_name, price * quantity as total, attributes->>'brand' as brand,
  array[price, quantity] as pair, attributes->'dims' as dims, length(body) as body_length, numrange(price, null) as span, timestamptz '2024-01-02 03:04:05+00' + quantity * interval '1 day' as due from t;
