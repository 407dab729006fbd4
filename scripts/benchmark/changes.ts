import type pg from 'pg';

/**
 * Makes `changes` row changes in transactions of `perTransaction` rows on the server itself: 60 % updates, 20 % inserts, 20 % deletes, each of another key, so that none
 * collapses. `turn` counts the calls on one table of `rows` rows, from 0; keys below the middle are deleted, above it updated.
 */
export async function makeChanges(
  client: pg.Client,
  {
    rows,
    changes,
    perTransaction,
    turn,
  }: { readonly rows: number; readonly changes: number; readonly perTransaction: number; readonly turn: number },
): Promise<void> {
  const fifth = Math.floor(changes / 5);
  const middle = Math.floor(rows / 2);
  await client.query('set synchronous_commit = off');
  await client.query(`do $$
    declare deleted bigint := ${turn * fifth}; inserted bigint := ${rows + turn * fifth}; updated bigint := 0;
    begin
      for i in 0 .. ${fifth * 5 - 1} loop
        if i % 5 = 0 then
          deleted := deleted + 1;
          delete from products where id = deleted;
        elsif i % 5 = 1 then
          inserted := inserted + 1;
          insert into products select inserted, sku, title, description, price, tags, attrs, category_id, in_stock, created_at, updated_at
            from products where id = ${rows};
        else
          updated := updated + 1;
          update products set price = price + 1, updated_at = now() where id = ${middle} + 1 + updated % ${rows - middle};
        end if;
        if (i + 1) % ${perTransaction} = 0 then commit; end if;
      end loop;
    end $$`);
  // One that waits for its flush: the walsender sends what is flushed.
  await client.query('set synchronous_commit = on');
  await client.query('select txid_current()');
}

/** How many rows `makeChanges` changes. */
export function changesMade(changes: number): number {
  return Math.floor(changes / 5) * 5;
}
