import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, elasticsearch } from '../support/servers.ts';
import { randomOf } from './writers.ts';

const ROWS_PER_BATCH = 100;

/** The document as PostgreSQL itself renders it; `at` is on whole seconds in these tests. */
const DOCUMENT = `(to_jsonb(t) || jsonb_build_object('at', to_char(t.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))::text`;

const UPSERT = `insert into things (id, name, n, tags, at)
  select id, 'f' || ($2::int + id), id * 1.001, array['x', null, id::text], timestamptz '2025-01-01 00:00:00+00' + id * interval '1 second' from unnest($1::int[]) id
  on conflict (id) do update set name = excluded.name, n = things.n + 1 returning id::text, `;

export interface Feeder {
  /** Rows written so far. */
  readonly rows: () => number;
  /** Ends after the batch at hand; rejects if a write failed. */
  stop(): Promise<number>;
}

/** An application that writes to the table and then to the index, `perSecond` rows over keys `[1, keys]`: inserts, updates, deletes. It keeps both equal. */
export function startFeeder(request: {
  readonly url: string;
  readonly index: string;
  readonly keys: number;
  readonly perSecond: number;
  readonly seed: number;
}): Feeder {
  const random = randomOf(request.seed);
  let stopped = false;
  let rows = 0;
  const work = async (): Promise<number> => {
    const client = await connect(request.url);
    const startedMs = performance.now();
    try {
      while (!stopped) {
        const ids = [...new Set(Array.from({ length: ROWS_PER_BATCH }, () => 1 + random(request.keys)))];
        const [kept, gone] = [ids.filter((id) => id % 11 !== 0 || random(2) === 0), ids.filter((id) => id % 11 === 0)];
        const written = await client.query<{ id: string; document: string }>(
          UPSERT.concat(`(select ${DOCUMENT} from (select things.*) t) as document`),
          [kept, random(1e9)],
        );
        const deleted = await client.query<{ id: string }>('delete from things where id = any($1) and id <> all($2) returning id::text', [
          gone,
          kept,
        ]);
        const lines = written.rows.map(({ id, document }) => `${JSON.stringify({ index: { _id: id } })}\n${document}\n`);
        lines.push(...deleted.rows.map(({ id }) => `${JSON.stringify({ delete: { _id: id } })}\n`));
        const answer = await elasticsearch('POST', `/${request.index}/_bulk`, lines.join(''));
        assert.equal(answer.json.errors, false, answer.text.slice(0, 500));
        rows += ids.length;
        // Keeps to the rate; not a wait for anything.
        await pause(Math.max(0, (rows * 1000) / request.perSecond - (performance.now() - startedMs)));
      }
      return rows;
    } finally {
      await client.end();
    }
  };
  const finished = work();
  finished.catch(() => undefined);
  return {
    rows: () => rows,
    stop: () => {
      stopped = true;
      return finished;
    },
  };
}
