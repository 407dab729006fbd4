insert into t values ('a', '2024-01-01'), (repeat('x', 600), '2024-01-01'), ('late', 'infinity');
