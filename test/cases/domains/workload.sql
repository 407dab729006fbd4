-- when: during the load
update t set b = 7.25, f = null where id = 3;
update t set id = 9007199254740993 where id = 4;
