insert into t values ('ORDER-1024', 1), ('ORDER 1025', 2), ('a/b?c#d', 3), ('*', 4), ('%', 5), ('_all', 6), ('<x>&', 7);
