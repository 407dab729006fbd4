create domain positive as int check (value > 0); create domain price as numeric(12,2); create domain cheap as price check (value < 100); create domain code as varchar(8); create domain moments as timestamptz[]; create domain far as bigint;
create table t (id far primary key, a positive, b price, c cheap, d code, e moments, f positive[]);
