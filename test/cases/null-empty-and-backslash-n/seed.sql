insert into t values (1, null, null), (2, '', '{}'), (3, '\N', '{NULL,"NULL","","\\N"}'), (4, 'NULL', '{}');
