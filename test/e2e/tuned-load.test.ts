import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChunkRequest, Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { elasticsearch } from '../support/servers.ts';
import { type RuleWorld, ruleWorld } from './rule-world.ts';

const ROWS = 45_000;
/** A server far away, behind a proxy that takes little at a time. */
const FAR_MS = 80;
const MOST_BYTES = 200_000;

let world: RuleWorld;

before(async () => {
  world = await ruleWorld();
  await world.database.client.query(`
    create table wide (id int primary key, v text);
    insert into wide select g, repeat(md5(g::text), 28) from generate_series(1, ${ROWS}) g;
    analyze wide`);
});
after(() => world.dispose());

interface Seen {
  most: number;
  refused: number;
  largest: number;
  readonly chunks: ChunkRequest[];
}

function farSink(sink: Sink, seen: Seen): Sink {
  let inFlight = 0;
  return {
    ...sink,
    bulk: async (buildAlias, body) => {
      if (body.byteLength > MOST_BYTES) {
        seen.refused++;
        return { kind: 'too-large' };
      }
      seen.largest = Math.max(seen.largest, body.byteLength);
      seen.most = Math.max(seen.most, ++inFlight);
      try {
        // What is simulated, not a wait for anything.
        const [answer] = await Promise.all([sink.bulk(buildAlias, body), pause(FAR_MS)]);
        return answer;
      } finally {
        inFlight--;
      }
    },
  };
}

test('before a server far away the load sends more bulks at a time, none larger than it takes, in chunks that grow', async () => {
  const seen: Seen = { most: 0, refused: 0, largest: 0, chunks: [] };
  const wrapSource = (source: Source): Source => ({
    ...source,
    openChunk: (request) => {
      seen.chunks.push(request);
      return source.openChunk(request);
    },
  });
  const { result, events } = await world.build({
    table: 'public.wide',
    options: { bulkJobs: null, bulkBytes: null, verify: 'counts' },
    wrapSink: (sink) => farSink(sink, seen),
    wrapSource,
  });
  assert.equal(result.outcome, 'built');
  const tuned = events.filter((event) => event.type === 'tuned');
  assert.ok((tuned.at(-1)?.bulkJobs ?? 0) >= 5, JSON.stringify(tuned));
  // The load's twelve and the three lanes of the replay.
  assert.ok(seen.most >= 5 && seen.most <= 15, `${seen.most} bulks at once`);
  assert.ok(seen.refused < 30, `${seen.refused} bulks were too large`);
  const sizes = seen.chunks.flatMap(({ from, to }) => (to === null ? [] : [to - from]));
  assert.deepEqual([sizes[0], Math.max(...sizes) > 64], [64, true]);
  await elasticsearch('POST', `/${world.alias}/_refresh`);
  const { json } = await elasticsearch('GET', `/${world.alias}/_count`);
  assert.equal(json.count, ROWS);
});
