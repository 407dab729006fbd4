insert into t select g, 'mail' || g || '@example.org', g, 't' || g, 's' from generate_series(1, 50) g;
