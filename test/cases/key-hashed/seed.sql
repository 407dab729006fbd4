insert into t select repeat('k', 600) || g, g from generate_series(1, 20) g;
insert into t values ('sha256:0', 0), ('plain', 1);
