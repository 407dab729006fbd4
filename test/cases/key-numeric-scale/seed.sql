insert into t values (1.0, 'a'), (2.50, 'b'), (-0.001, 'c');
