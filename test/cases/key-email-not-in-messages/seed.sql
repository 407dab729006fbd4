insert into t values ('some.body@example.org', 'infinity'), ('b@example.org', '2024-01-01');
