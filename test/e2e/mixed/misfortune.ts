import { Failure } from '../../../src/core/failure.ts';
import type { Failpoint, FailpointName } from '../../../src/phases/build/failpoints.ts';
import type { Source } from '../../../src/phases/ports.ts';
import type { Sink } from '../../../src/phases/sink-ports.ts';
import { connect, type FreshDatabase } from '../../support/servers.ts';
import { randomOf } from '../writers.ts';
import { truncateSql } from './change-sql.ts';
import { DDL, isDdl } from './ddl-sql.ts';
import type { PlannedEvent, World } from './draw-world.ts';
import { transact } from './mixed-writer.ts';

/** Each costs the build a pause. */
const MOST_BULK_FAULTS = 8;
const DEADLOCK = '40P01';

const CUT = `select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database() and active and not temporary`;

/** What happens to the runs of one world, at the moments that were drawn. */
export interface Misfortune {
  readonly failpoint: Failpoint;
  readonly wrapSource: (source: Source) => Source;
  readonly wrapSink: (sink: Sink) => Sink;
  /** What has happened so far. */
  readonly happened: ReadonlySet<PlannedEvent['what']>;
  /** True once for each crash. */
  takeCrash(): boolean;
  /** Resolves when the statements that were started have ended. */
  quiet(): Promise<void>;
}

export function misfortuneOf(database: FreshDatabase, world: World): Misfortune {
  const left = new Set(world.events);
  const happened = new Set<PlannedEvent['what']>();
  const passed = new Map<FailpointName, number>();
  const running: Promise<void>[] = [];
  let death: Failure | null = null;

  const perform = async ({ what, at }: PlannedEvent): Promise<void> => {
    happened.add(what);
    if (what === 'cut') await database.client.query(CUT);
    else if (what === 'crash') death = new Failure('interrupted', `killed by the test at ${at}`);
    else running.push(handled(inBackground(database, statementsOf(world, what))));
  };
  /** A dead process does nothing any more: what it would do on its way out is refused. */
  const alive = async (): Promise<void> => {
    if (death !== null) throw death;
  };
  return {
    happened,
    failpoint: async (name) => {
      const count = (passed.get(name) ?? 0) + 1;
      passed.set(name, count);
      for (const event of [...left].filter(({ at, nth }) => at === name && nth <= count)) {
        left.delete(event);
        await perform(event);
      }
      // No chunk holds a lock any more that a statement waits for, and no proof has begun that it could come too late for.
      if (name === 'load.finished' || name === 'catchup.applied') await Promise.all(running);
      await alive();
    },
    wrapSource: (source) => ({
      ...source,
      dropSlot: (name) => alive().then(() => source.dropSlot(name)),
      dropPublication: (name) => alive().then(() => source.dropPublication(name)),
    }),
    wrapSink: (sink) => ({
      ...sink,
      writeState: (index, state) => alive().then(() => sink.writeState(index, state)),
      bulk: faultyBulk(sink, world),
    }),
    takeCrash: () => {
      const crashed = death !== null;
      death = null;
      return crashed;
    },
    quiet: () => Promise.all(running).then(() => undefined),
  };
}

function statementsOf(world: World, what: Exclude<PlannedEvent['what'], 'cut' | 'crash'>): readonly string[] {
  if (isDdl(what)) return [DDL[what]];
  if (what === 'truncate') return truncateSql(world);
  return [what === 'cluster' ? 'cluster t using t_pkey' : 'vacuum full t'];
}

/** Its failure is thrown where it is awaited, which may be later. */
function handled(running: Promise<void>): Promise<void> {
  running.catch(() => {});
  return running;
}

/** Not awaited by the build, whose chunk holds a lock that these wait for. One that loses a deadlock with a writer has not happened. */
async function inBackground(database: FreshDatabase, statements: readonly string[]): Promise<void> {
  const client = await connect(database.url);
  try {
    if (statements.length > 1) await transact(client, statements);
    else await client.query(statements[0] ?? '');
  } catch (error) {
    if ((error as { code?: string }).code !== DEADLOCK) throw error;
  } finally {
    await client.end();
  }
}

function faultyBulk(sink: Sink, { bulkFaultEvery, seed }: World): Sink['bulk'] {
  if (bulkFaultEvery === 0) return sink.bulk;
  const random = randomOf(seed ^ 0x5f5f);
  let left = MOST_BULK_FAULTS;
  return async (buildAlias, body) => {
    if (left === 0 || random(bulkFaultEvery) > 0) return sink.bulk(buildAlias, body);
    left--;
    if (random(2) === 0) return { kind: 'retry', errorType: 'test_refused' };
    await sink.bulk(buildAlias, body);
    return { kind: 'retry', errorType: 'test_answer_lost' };
  };
}
