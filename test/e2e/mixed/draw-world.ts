import type { RunOptions } from '../../../src/core/plan/index-config.ts';
import type { FailpointName } from '../../../src/phases/build/failpoints.ts';
import { randomOf } from '../writers.ts';
import { DDL, type Ddl } from './ddl-sql.ts';
import { VALUES, type ValueKind } from './values.ts';

/** A number from 0 to below the argument. */
export type Random = (below: number) => number;

export type Shape = 'plain' | 'range' | 'list' | 'hash' | 'two-levels';
export type KeyKind = 'bigint' | 'uuid' | 'text' | 'enum' | 'numeric' | 'timestamptz' | 'composite';

/** What happens to a run when it passes a moment for the `nth` time; `crash` ends it, and the same command is run again. */
export interface PlannedEvent {
  readonly what: 'cut' | 'crash' | 'vacuum full' | 'cluster' | 'truncate' | Ddl;
  readonly at: FailpointName;
  readonly nth: number;
}

/** Everything that is left to chance of one round, but for the order in which the writers' statements meet. */
export interface World {
  readonly seed: number;
  readonly rows: number;
  readonly shape: Shape;
  readonly key: KeyKind;
  /** Of shapes other than `plain` and `hash`: whether the partition column is the first of the key. */
  readonly spotFirst: boolean;
  readonly identity: 'default' | 'full' | 'index';
  readonly values: readonly ValueKind[];
  readonly generated: boolean;
  readonly where: string | null;
  readonly computed: { readonly [field: string]: string };
  readonly rename: { readonly [column: string]: string };
  readonly exclude: readonly string[];
  /** Values that the mapping refuses, and ids longer than Elasticsearch takes, come and go. */
  readonly poison: boolean;
  readonly idHash: 'none' | 'sha256';
  readonly writers: number;
  /** A transaction is open when the slot is asked for. */
  readonly longTransaction: boolean;
  /** One bulk in so many is refused, or done and its answer lost; 0 = none. */
  readonly bulkFaultEvery: number;
  readonly options: Partial<RunOptions>;
  readonly events: readonly PlannedEvent[];
}

const KEYS: readonly KeyKind[] = ['bigint', 'uuid', 'text', 'enum', 'numeric', 'timestamptz', 'composite'];
const SHAPES: readonly Shape[] = ['plain', 'plain', 'plain', 'range', 'list', 'hash', 'two-levels'];
const FILTERS = [null, null, null, 'deleted_at is null', 'n % 3 <> 0', 'body is null or length(body) > 500', "coalesce(code, '') < '2024-08'"];
const COMPUTED: { readonly [field: string]: string } = {
  loud: 'upper(code)',
  double: 'n * 2',
  body_length: 'length(body)',
  eighth: 'n::numeric / 8',
  alive: 'deleted_at is null',
  summary: "jsonb_build_object('n', n, 'code', code)",
};
const LOAD: readonly FailpointName[] = ['chunk.opened', 'chunk.read', 'chunk.written', 'chunk.settled'];
const LATER: readonly FailpointName[] = ['load.finished', 'catchup.applied', 'catchup.restored', 'verify.held', 'verify.frozen', 'verify.compared'];
const CUTS: readonly FailpointName[] = [...LOAD, ...LATER, 'swap.asked', 'swap.made'];
const CRASHES: readonly FailpointName[] = [
  'publication.created',
  'slot.created',
  'slot.ready',
  'index.created',
  ...LOAD,
  ...LOAD,
  'bulk.sent',
  'bulk.acknowledged',
  'checkpoint.written',
  'replay.durable',
  // Not `verify.held`: the fence's slot would stay with a connection that only the end of a real process closes.
  ...LATER.map((at) => (at === 'verify.held' ? 'verify.frozen' : at)),
  'swap.asked',
  'swap.made',
  'swap.recorded',
  'cleanup.drained',
  'cleanup.slot-dropped',
  'cleanup.publication-dropped',
  'cleanup.settings-finished',
  'cleanup.build-alias-removed',
];

/** Before the proof: of a definition that changes between the last look at it and the swap the next audit tells, not the build. */
const DDL_MOMENTS: readonly FailpointName[] = [...LOAD, 'load.finished', 'catchup.applied'];

/** Pure: the same seed draws the same world. */
export function drawWorld(seed: number): World {
  const random = randomOf(seed);
  const shape = pick(random, SHAPES);
  const values = some(random, VALUES, 3 + random(5));
  const key = pick(random, KEYS);
  const exclude = chance(random, 2) ? [] : some(random, [...values.map(({ name }) => name), 'deleted_at', 'body'], 1 + random(2));
  return {
    seed,
    rows: 300 + random(chance(random, 10) && key !== 'enum' ? 2700 : 300),
    shape,
    key,
    spotFirst: chance(random, 2),
    identity: pick(random, ['default', 'default', 'full', 'index']),
    values,
    generated: chance(random, 3),
    where: pick(random, FILTERS),
    computed: chance(random, 2) ? {} : Object.fromEntries(some(random, Object.entries(COMPUTED), 1 + random(3))),
    rename: chance(random, 2) ? {} : { n: 'Number', ...(exclude.includes('body') ? {} : { body: 'content' }) },
    exclude,
    poison: chance(random, 2),
    writers: 2 + random(3),
    longTransaction: chance(random, 3),
    bulkFaultEvery: pick(random, [0, 0, 20]),
    options: drawOptions(random),
    events: [...drawEvents(random, shape), ...drawDdl(random, shape)],
    idHash: chance(random, 2) ? 'sha256' : 'none',
  };
}

function drawOptions(random: Random): Partial<RunOptions> {
  return {
    copyJobs: 1 + random(3),
    bulkJobs: 1 + random(4),
    bulkBytes: pick(random, [16 << 10, 100 << 10, 1 << 20]),
    chunkBlocks: pick(random, [3, 8, null]),
    transactionBytes: pick(random, [200 << 10, 8 << 20]),
    rate: pick(random, [null, null, 1000]),
    verify: pick(random, ['full', 'full', 'full', 'sample', 'counts']),
    sample: 100,
    maxRejects: 1_000_000,
  };
}

function drawEvents(random: Random, shape: Shape): readonly PlannedEvent[] {
  const events: PlannedEvent[] = [];
  const plan = (what: PlannedEvent['what'], moments: readonly FailpointName[]): void => {
    const at = pick(random, moments);
    events.push({ what, at, nth: at.startsWith('chunk.') || at.startsWith('bulk.') ? 1 + random(4) : 1 });
  };
  if (chance(random, 2)) plan('cut', CUTS);
  if (chance(random, 4)) plan('cut', CUTS);
  if (chance(random, 2)) plan('crash', CRASHES);
  if (chance(random, 5)) plan('crash', CRASHES);
  // A rewritten partition cannot be told from a truncated one: that stops a build, which has tests of its own.
  if (shape === 'plain' && chance(random, 4)) plan(pick(random, ['vacuum full', 'cluster']), LOAD);
  if (chance(random, 6)) plan('truncate', shape === 'plain' ? [...LOAD, ...LATER] : LATER);
  return events;
}

function drawDdl(random: Random, shape: Shape): readonly PlannedEvent[] {
  if (!chance(random, 3)) return [];
  const possible = (Object.keys(DDL) as Ddl[]).filter((what) => what !== 'detach partition' || (shape !== 'plain' && shape !== 'hash'));
  return [{ what: pick(random, possible), at: pick(random, DDL_MOMENTS), nth: 1 }];
}

export const chance = (random: Random, oneIn: number): boolean => random(oneIn) === 0;

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)] as T;
}

function some<T>(random: Random, from: readonly T[], count: number): readonly T[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random(left.length), 1)[0] as T);
}
