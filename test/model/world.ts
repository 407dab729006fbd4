import type { Rule } from './rules.ts';

export type Key = 'a' | 'b';
export const KEYS: readonly Key[] = ['a', 'b'];

/** What a transaction does to one key: a row in one of two heap blocks, or a delete. */
export interface Change {
  readonly key: Key;
  readonly value: string | null;
  readonly block: number;
}

/** A transaction of the application. Those of one session follow each other; sessions run side by side. */
export interface Transaction {
  readonly name: string;
  readonly session: number;
  readonly changes: readonly Change[];
  /** TRUNCATE before `changes`. */
  readonly truncate: boolean;
  /** Its changes are written some time before its commit. */
  readonly early: boolean;
  /** Its commit is in the WAL some time before other sessions see it. */
  readonly lags: boolean;
  /** Too large for memory: each change is applied as a part of its own. */
  readonly parts: boolean;
  /** Its rows lack values in the WAL and are looked up. */
  readonly lookup: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly rows: readonly { readonly key: Key; readonly value: string; readonly block: number }[];
  readonly transactions: readonly Transaction[];
  /** How many heap blocks are loaded, each a chunk. */
  readonly blocks: number;
  readonly copyJobs: number;
  /** How often each fault may happen. */
  readonly faults: { readonly crash: number; readonly reconnect: number; readonly cut: number; readonly noAnswer: number };
  /** Opening a chunk: its snapshot is taken some time before the client knows it. */
  readonly slowOpen: boolean;
  /** The rules that this scenario is about: it must find a violation without them. */
  readonly finds: readonly Rule[];
}

export interface Snapshot {
  readonly xmin: number;
  readonly xmax: number;
  readonly inProgress: readonly number[];
}

/** Zeros until it happened. */
export interface TransactionState {
  xid: number;
  changeLsn: number;
  finalLsn: number;
  endLsn: number;
  visible: boolean;
  /** Keys whose operation is durable in the index. */
  applied: Key[];
}

/** A write on its way. `from` says who waits for the answer: a lane, a chunk's rows or its deletes, a TRUNCATE; nobody if its sender is dead or gave up. */
export interface Write {
  readonly from: 'lane' | 'rows' | 'again' | 'truncate' | 'nobody';
  readonly chunk: number;
  readonly key: Key;
  readonly version: number;
  readonly value: string | null;
  readonly gte: boolean;
  /** The transactions it stands for. */
  readonly transactions: readonly number[];
}

export interface Lane {
  busy: boolean;
  pending: Write | null;
}

export interface ChunkState {
  readonly from: number;
  stage: 'opening' | 'reading' | 'written' | 'broken' | 'settling';
  /** What the rows were read in. */
  taken: Snapshot | null;
  /** What the client answers for. */
  known: Snapshot | null;
  readonly file: number;
}

export interface Commit {
  readonly endLsn: number;
  readonly xid: number | null;
}

export interface AckState {
  acked: number;
  visible: number;
  waiting: readonly Commit[];
  /** Of the chunks in flight, in the order of `Tool.chunks`. */
  floors: readonly number[];
}

export interface TicketState {
  readonly xid: number | null;
  outstanding: number;
  endLsn: number;
}

export interface Delete {
  readonly key: Key;
  readonly version: number;
  readonly xid: number;
}

/** The tool: everything here dies with the process. */
export interface Tool {
  /** A state of src/core/build.ts, or `dead`. */
  at: string;
  position: number;
  lanes: Record<Key, Lane>;
  ack: AckState;
  durable: number;
  tickets: TicketState[];
  deletes: readonly Delete[];
  done: readonly (readonly [number, number])[];
  /** Which file of the table `done` was counted in. */
  file: number;
  chunks: ChunkState[];
  /** The transaction being applied in parts, and how many are sent; the one whose TRUNCATE is under way. */
  part: { readonly transaction: number; sent: number } | null;
  truncating: { readonly transaction: number; sent: boolean } | null;
  /** The transaction of which only a part may be in the index, or −1; outlives a reconnect. */
  half: number;
  fence: number;
  drainTo: number;
}

export interface World {
  lsn: number;
  nextXid: number;
  transactions: TransactionState[];
  /** `waitsFor`: transactions that were open when it was asked for. `cp` is 0 until it is consistent. */
  slot: { readonly waitsFor: readonly number[]; cp: number; confirmed: number } | null;
  /** The new index: documents and tombstones (`value: null`), and the state in its `_meta`. */
  documents: Partial<Record<Key, { readonly version: number; readonly value: string | null }>>;
  meta: { phase: string; done: readonly (readonly [number, number])[]; file: number } | null;
  swapped: boolean;
  wire: readonly Write[];
  tool: Tool;
  faults: { crash: number; reconnect: number; cut: number; noAnswer: number };
  /** What the index must hold for ever once the build is finished. */
  expected: string | null;
  wrong: string | null;
}

export function freshTool(at: string): Tool {
  return {
    at,
    position: 0,
    lanes: { a: { busy: false, pending: null }, b: { busy: false, pending: null } },
    ack: { acked: 0, visible: 0, waiting: [], floors: [] },
    durable: 0,
    tickets: [],
    deletes: [],
    done: [],
    file: 0,
    chunks: [],
    part: null,
    truncating: null,
    half: -1,
    fence: 0,
    drainTo: 0,
  };
}

export function initialWorld(scenario: Scenario): World {
  return {
    lsn: 10,
    nextXid: 1,
    transactions: scenario.transactions.map(() => ({ xid: 0, changeLsn: 0, finalLsn: 0, endLsn: 0, visible: false, applied: [] })),
    slot: null,
    documents: {},
    meta: null,
    swapped: false,
    wire: [],
    tool: freshTool('slot'),
    faults: { ...scenario.faults },
    expected: null,
    wrong: null,
  };
}

/** A copy of everything that steps change in place. */
export function copyOf(world: World): World {
  const { tool } = world;
  return {
    ...world,
    transactions: world.transactions.map((transaction) => ({ ...transaction, applied: [...transaction.applied] })),
    slot: world.slot === null ? null : { ...world.slot },
    documents: { ...world.documents },
    meta: world.meta === null ? null : { ...world.meta },
    faults: { ...world.faults },
    tool: {
      ...tool,
      lanes: { a: { ...tool.lanes.a }, b: { ...tool.lanes.b } },
      ack: { ...tool.ack },
      tickets: tool.tickets.map((ticket) => ({ ...ticket })),
      chunks: tool.chunks.map((chunk) => ({ ...chunk })),
      part: tool.part === null ? null : { ...tool.part },
      truncating: tool.truncating === null ? null : { ...tool.truncating },
    },
  };
}

/** What was sent first says nothing about what arrives first: the wire is a bag. */
export function send(world: World, write: Write): void {
  const text = JSON.stringify(write);
  world.wire = [...world.wire.map((one) => JSON.stringify(one)), text].sort().map((one) => JSON.parse(one) as Write);
}

export function keyOf(world: World): string {
  return JSON.stringify(world);
}

export function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`BUG in the model: no element ${index}`);
  return found;
}
