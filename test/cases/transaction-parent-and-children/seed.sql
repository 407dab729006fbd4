insert into parent select g, 'parent ' || g from generate_series(1, 200) g;
insert into child select g, 1 + g % 200, 'child ' || g from generate_series(1, 300) g;
