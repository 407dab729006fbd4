import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/cli/clock.ts';
import type { RunEvent } from '../../src/core/events.ts';
import type { IndexConfig, RunOptions } from '../../src/core/plan/index-config.ts';
import { openSink } from '../../src/elasticsearch/sink.ts';
import type { Failpoint } from '../../src/phases/build/failpoints.ts';
import { type BuildResult, runBuild } from '../../src/phases/build.ts';
import type { RejectRecord, Source } from '../../src/phases/ports.ts';
import type { Sink } from '../../src/phases/sink-ports.ts';
import { openSource } from '../../src/postgres/source.ts';
import { elasticsearchUrl, type FreshDatabase, uniqueName } from '../support/servers.ts';

/** What a test changes of a build: its config, its options, and either side wrapped to inject a fault or to switch a rule off. */
export interface InProcessBuild {
  readonly database: FreshDatabase;
  readonly alias: string;
  readonly table: string;
  readonly config?: Partial<IndexConfig>;
  readonly options?: Partial<RunOptions>;
  readonly wrapSource?: (source: Source) => Source;
  readonly wrapSink?: (sink: Sink) => Sink;
  readonly laneOf?: (id: string, count: number) => number;
  readonly signal?: AbortSignal;
  readonly failpoint?: Failpoint;
  readonly fileExists?: (path: string) => Promise<boolean>;
  readonly onEvent?: (event: RunEvent) => void;
}

export interface InProcessRun {
  readonly result: BuildResult;
  readonly events: readonly RunEvent[];
  readonly rejects: readonly RejectRecord[];
}

export const uniqueAlias = (): string => uniqueName('it').replace('_', '-');

export const defaultOptions: RunOptions = {
  fresh: false,
  adopt: false,
  rate: null,
  copyJobs: 2,
  bulkJobs: 2,
  bulkBytes: 1 << 20,
  chunkBlocks: null,
  verify: 'full',
  sample: 500,
  seed: 'test',
  maxRejects: 0,
  swapWhen: 'yellow',
  keep: 1,
  maxSlotWalBytes: 4n << 30n,
  slotTimeoutMs: 30_000,
  stallTimeoutMs: 60_000,
  transactionBytes: 8 << 20,
  hold: false,
  holdFile: null,
  holdTimeoutMs: null,
  follow: false,
  keepFreshMs: null,
  ifChanged: false,
  runKey: null,
  ifLocked: 'fail',
  throttles: { replicaLagMs: null, query: null, flagFile: null },
};

/** Opens both sides of a test's database, as the command line does, and closes them behind `use`. */
export async function withSides<T>(
  database: Pick<FreshDatabase, 'url'>,
  use: (sides: { readonly source: Source; readonly sink: Sink }) => Promise<T>,
): Promise<T> {
  const url = new URL(database.url);
  const source = await openSource({
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: url.username,
    password: url.password,
    ssl: false,
    applicationName: 'realign-test-build',
  });
  const sink = await openSink({ nodes: [elasticsearchUrl()], auth: null, rejectUnauthorized: true, requestTimeoutMs: 30_000 });
  try {
    return await use({ source, sink });
  } finally {
    await source.close();
    await sink.close();
  }
}

/** Runs one build in this process on the real servers; throws what the build throws. */
export function buildInProcess(request: InProcessBuild): Promise<InProcessRun> {
  return withSides(request.database, (sides) => buildBetween(request, sides));
}

async function buildBetween(request: InProcessBuild, { source, sink }: { readonly source: Source; readonly sink: Sink }): Promise<InProcessRun> {
  const events: RunEvent[] = [];
  const rejects: RejectRecord[] = [];
  const result = await runBuild({
    source: request.wrapSource?.(source) ?? source,
    sink: request.wrapSink?.(sink) ?? sink,
    clock: systemClock,
    reporter: {
      report: (event) => {
        events.push(event);
        request.onEvent?.(event);
      },
    },
    rejects: { write: async (record) => void rejects.push(record) },
    config: indexConfig(request),
    options: { ...defaultOptions, ...request.options },
    signal: request.signal ?? new AbortController().signal,
    tool: 'realign test',
    newBuildId: () => randomBytes(2).toString('hex'),
    ...(request.laneOf === undefined ? {} : { laneOf: request.laneOf }),
    ...(request.failpoint === undefined ? {} : { failpoint: request.failpoint }),
    ...(request.fileExists === undefined ? {} : { fileExists: request.fileExists }),
  });
  return { result, events, rejects };
}

export function indexConfig(request: Pick<InProcessBuild, 'alias' | 'table' | 'config'>): IndexConfig {
  return {
    alias: request.alias,
    table: request.table,
    columns: { include: '*', exclude: [] },
    rename: {},
    where: null,
    computed: {},
    id: null,
    fields: {},
    mapping: null,
    settings: { number_of_replicas: 0 },
    idHash: 'none',
    routing: null,
    onNonFinite: 'reject',
    onUnrepresentable: 'reject',
    ...request.config,
  };
}
