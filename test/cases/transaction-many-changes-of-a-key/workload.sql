begin; insert into t values (100, 'a'); update t set v = 'b' where id = 100; delete from t where id = 100; insert into t values (100, 'z'); commit;
begin; insert into t values (101, 'a'); delete from t where id = 101; commit;
begin; update t set v = 'gone' where id = 1; rollback;
begin; update t set v = 's0' where id = 2; savepoint s; update t set v = 's1' where id = 2; delete from t where id = 3; rollback to s; update t set v = 's2' where id = 2; commit;
do $$ begin update t set v = 'x' where id = 4; begin insert into t values (5, 'dup'); exception when unique_violation then null; end; end $$;
-- when: during the load
insert into t values (6, 'dup') on conflict do nothing;
insert into t values (7, 'dup') on conflict (id) do update set v = 'upserted';
do $$ begin for i in 1..50 loop delete from t where id = 200; insert into t values (200, 'v' || i); end loop; end $$;
