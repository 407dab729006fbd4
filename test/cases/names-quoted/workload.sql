update "Odd Schema"."Ta.b""le" set "select" = 'changed' where "ID" = 1;
-- when: during the load
update "Odd Schema"."Ta.b""le" set "ID" = 100 where "ID" = 2;
delete from "Odd Schema"."Ta.b""le" where "ID" = 3;
