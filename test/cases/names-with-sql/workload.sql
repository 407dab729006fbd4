update "Odd Schema"."Table" set "select" = 'changed' where "ID" = 1;
-- when: during the load
update "Odd Schema"."Table" set "Mixed Case" = 5 where "ID" = 2;
update "Odd Schema"."Table" set "Mixed Case" = 1, k0 = -1 where "ID" = 5;
