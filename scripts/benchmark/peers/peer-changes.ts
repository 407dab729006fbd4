import { connect } from '../../../test/support/servers.ts';
import type { BenchWorld } from '../bench-world.ts';

/** As many as each peer replays, where the table has them. */
export const UPDATES = 20_000;
const PER_TRANSACTION = 10;

/** Gives the first rows of the table a category, in transactions of ten; one that no row has before, so that the changed documents can be counted. */
export async function updateProducts(world: BenchWorld, updates: number, category: number): Promise<void> {
  const client = await connect(world.databaseUrl);
  await client.query(`do $$ begin
    for low in 1 .. ${updates} by ${PER_TRANSACTION} loop
      update products set category_id = ${category} where id >= low and id < least(low + ${PER_TRANSACTION}, ${updates} + 1);
      commit;
    end loop;
  end $$`);
  await client.end();
}
