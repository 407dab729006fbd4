insert into t values (repeat('y', 600), '2024-01-01'), ('later', 'infinity'), ('b', '2024-01-01');
-- when: after the load
update t set day = 'infinity' where id = 'b';
