insert into t select 'a', g, repeat('z', 4000) from generate_series(1, 6) g;
insert into t values ('a', 7, 'x'), ('a:b', 8, 'x'), (e'\\', 9, 'x'), (e'"é\n', 10, 'x'), ('a', 11, 'x'), ('gone', 1, 'x');
