vacuum full t;
-- session: b
update t set v = 'w' where id < 50;
