import type pg from 'pg';

/** The changes that `makeChanges` makes. */
export interface ChangeSet {
  /** Of the table before the first call: four fifths of `changes` at least. */
  readonly rows: number;
  readonly changes: number;
  readonly perTransaction: number;
  /** Counts the calls on one table, from 0. */
  readonly turn: number;
}

/**
 * Makes row changes in transactions of `perTransaction` rows on the server itself: 60 % updates, 20 % inserts, 20 % deletes, each of another key, so that none collapses.
 * The first call deletes the lowest keys, a later one those that the call before it has inserted.
 */
export async function makeChanges(client: pg.Client, { rows, changes, perTransaction, turn }: ChangeSet): Promise<void> {
  const fifth = Math.floor(changes / 5);
  if (rows < 4 * fifth) throw new RangeError(`${changes} changes need a table of ${4 * fifth} rows`);
  const firstDeleted = turn === 0 ? 1 : rows + (turn - 1) * fifth + 1;
  await client.query('set synchronous_commit = off');
  await client.query(`do $$
    declare deleted bigint := ${firstDeleted - 1}; inserted bigint := ${rows + turn * fifth}; updated bigint := ${fifth};
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
          update products set price = price + 1, updated_at = now() where id = updated;
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
