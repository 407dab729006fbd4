-- when: after the load
update t set v = 'poison' where id = 5;
update t set v = '2024-01-02' where id = 6;
