import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChunkRequest, Source } from '../../src/phases/ports.ts';
import { waitFor } from '../support/wait-for.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';
import { wrapStream } from './wrapped.ts';

const CHUNKS = 10;
const BLOCKS_PER_CHUNK = 16;
/** Each row fills a block nearly. */
const ROWS = CHUNKS * BLOCKS_PER_CHUNK;

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
  await world.database.client.query(`
    create table wide (id int primary key, n int, v text) with (fillfactor = 100);
    alter table wide alter v set storage plain;
    insert into wide select g, 0, repeat(md5(g::text), 200) from generate_series(1, ${ROWS}) g;
    analyze wide`);
});
after(() => world.dispose());

test('chunks that overlap from the first to the last do not hold back the WAL of the whole load', async () => {
  let confirmed = 0n;
  let acknowledgements = 0;
  const opened: { readonly confirmed: bigint; readonly written: bigint }[] = [];
  const inFlight = new Set<ChunkRequest>();
  let gaps = 0;
  /** A change behind what the chunk sees, where the stream is then. */
  const write = async (): Promise<bigint> => {
    await world.database.client.query('update wide set n = n + 1 where id = 1');
    const { rows } = await world.database.client.query<{ at: string }>(`select (pg_current_wal_lsn() - '0/0')::text as at`);
    return BigInt(rows[0]?.at ?? 0);
  };
  const wrapSource = (source: Source): Source => ({
    ...source,
    openStream: async (request) => {
      const stream = await source.openStream(request);
      return wrapStream(stream, {
        acknowledge: (lsn) => {
          acknowledgements++;
          confirmed = lsn;
          stream.acknowledge(lsn);
        },
      });
    },
    openChunk: async (request) => {
      if (opened.length > 0 && inFlight.size === 0) gaps++;
      inFlight.add(request);
      // One acknowledgement for the first, two for each other: they end in turns, and one is always in flight.
      const until = acknowledgements + (opened.length === 0 ? 1 : 2);
      opened.push({ confirmed, written: await write() });
      const reader = await source.openChunk(request);
      await waitFor('acknowledgements', () => acknowledgements >= until);
      return {
        snapshot: reader.snapshot,
        relfilenode: reader.relfilenode,
        chunks: () => reader.chunks(),
        close: async () => {
          await reader.close();
          inFlight.delete(request);
        },
      };
    },
  });
  const { result } = await world.build({ table: 'public.wide', options: { chunkBlocks: BLOCKS_PER_CHUNK, copyJobs: 2 }, wrapSource });
  assert.equal(result.outcome, 'built');
  assert.ok(opened.length >= CHUNKS, `${opened.length} chunks`);
  assert.equal(gaps, 0, 'one was always in flight');
  const [early, last] = [opened[2], opened.at(-1)];
  assert.ok(early !== undefined && last !== undefined);
  assert.ok(last.confirmed >= early.written, `when the last chunk began ${last.confirmed} was confirmed, but the third began at ${early.written}`);
});
