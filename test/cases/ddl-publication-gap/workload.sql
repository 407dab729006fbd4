-- when: after the load
do $$ declare p text; begin select pubname into p from pg_publication; execute format('drop publication %I', p); insert into t values (900, 'gap', 1); end $$;
