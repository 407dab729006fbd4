create schema "Odd Schema";
create table "Odd Schema"."Table" ("ID" int primary key, "select" text, "Mixed Case" int, t int, k0 int, k int);
create view "Odd Schema".expected as select *, upper("select") as "Upper it" from "Odd Schema"."Table";
