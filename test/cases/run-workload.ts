import type pg from 'pg';
import type { Failpoint } from '../../src/phases/build/failpoints.ts';
import type { Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { connect } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Moment, Statements } from './read-case.ts';

/** Runs the parts of a workload, each once, when its moment has come. */
export interface WorkloadRunner {
  readonly wrapSource: (source: Source) => Source;
  readonly wrapSink: (sink: Sink) => Sink;
  readonly failpoint: Failpoint;
  /** Moments whose part did not run. */
  pending(): readonly Moment[];
  close(): Promise<void>;
}

export function workloadRunner(url: string, workload: ReadonlyMap<Moment, readonly Statements[]>): WorkloadRunner {
  let opened = 0;
  const sessions = new Map<string, pg.Client>();
  const running = new Map<Moment, Promise<void>>();
  const sessionOf = async (name: string): Promise<pg.Client> => {
    const client = sessions.get(name) ?? (await connect(url));
    sessions.set(name, client);
    return client;
  };
  const reach = (moment: Moment): Promise<void> => {
    const started = running.get(moment) ?? runAll(workload.get(moment) ?? [], sessionOf);
    running.set(moment, started);
    return started;
  };
  return {
    wrapSource: (source) => ({
      ...source,
      createSlot: async (request) => {
        const slot = await source.createSlot(request);
        if (!request.temporary) await reach('after the slot');
        return slot;
      },
      openChunk: async (request) => {
        if (opened++ > 0) await reach('between chunks');
        const reader = await source.openChunk(request);
        await reach('during the load');
        return reader;
      },
    }),
    wrapSink: (sink) => ({
      ...sink,
      swap: async (request) => {
        await reach('before the swap');
        return sink.swap(request);
      },
    }),
    failpoint: async (name) => {
      if (name === 'load.finished') await reach('after the load');
      if (name === 'verify.compared') await reach('after the verification');
    },
    pending: () => [...workload.keys()].filter((moment) => !running.has(moment)),
    close: async () => {
      await Promise.allSettled(running.values());
      await Promise.all([...sessions.values()].map((client) => client.end()));
    },
  };
}

async function runAll(parts: readonly Statements[], sessionOf: (name: string) => Promise<pg.Client>): Promise<void> {
  const inBackground: Promise<unknown>[] = [];
  for (const { session, inBackground: apart, sql } of parts) {
    const client = await sessionOf(session);
    const done = client.query(sql);
    done.catch(() => {});
    if (!apart) await done;
    else {
      inBackground.push(done);
      await waitUntilBlocked(client);
    }
  }
  await Promise.all(inBackground);
}

/** Statements in the background are there because they wait for a lock of another session. */
async function waitUntilBlocked(client: pg.Client): Promise<void> {
  const { processID } = client as unknown as { readonly processID: number };
  const { host, port, user, password, database } = client;
  const watcher = await connect(`postgres://${user}:${password}@${host}:${port}/${database}`);
  try {
    await waitFor('a statement in the background to wait for a lock', async () => {
      const { rows } = await watcher.query<{ blocked: boolean }>('select cardinality(pg_blocking_pids($1)) > 0 as blocked', [processID]);
      return rows[0]?.blocked === true;
    });
  } finally {
    await watcher.end();
  }
}
