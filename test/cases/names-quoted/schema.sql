create schema "Odd Schema";
create table "Odd Schema"."Ta.b""le" ("ID" int primary key, "select" text, "Mixed Case" int, "quote""d" text, "ünï" text, "from" jsonb, "$1" int, "a'b" int, body text);
alter table "Odd Schema"."Ta.b""le" alter column body set storage external;
