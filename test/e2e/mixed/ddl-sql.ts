/** Changes of a table's definition that may come in mid-build; the writers' statements work before and after each. `spare` is a column that nothing else changes. */
export const DDL = {
  'add column': "alter table t add column extra text default 'e'",
  'drop column': 'alter table t drop column spare',
  'rename column': 'alter table t rename column spare to renamed',
  'retype column': 'alter table t alter column spare drop default, alter column spare type bigint using length(spare)',
  'detach partition': 'alter table t detach partition t_d',
  'drop publication': `do $$ declare name name; begin
    for name in select pubname from pg_publication loop execute format('drop publication %I', name); end loop; end $$`,
} as const;

export type Ddl = keyof typeof DDL;

export const isDdl = (what: string): what is Ddl => Object.hasOwn(DDL, what);
