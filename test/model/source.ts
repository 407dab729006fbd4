import { isVisible, type PgSnapshot } from '../../src/core/wal/snapshot.ts';
import { at, type Key, type Scenario, type Snapshot, type Transaction, type TransactionState, type World } from './world.ts';

export interface Action {
  readonly label: string;
  readonly act: (world: World) => void;
}

export const RECORD = 10;

export function isOpen({ xid, visible }: TransactionState): boolean {
  return xid > 0 && !visible;
}

/** The application: it writes, its commit reaches the WAL, and then other sessions see it. */
export function applicationActions(scenario: Scenario, world: World): Action[] {
  const actions: Action[] = [];
  for (const [index, transaction] of scenario.transactions.entries()) {
    const state = at(world.transactions, index);
    const { name } = transaction;
    if (state.xid === 0) {
      if (!mayBegin(scenario, world, index)) continue;
      if (transaction.early) actions.push({ label: `${name} writes`, act: (next) => write(next, index) });
      else actions.push({ label: `${name} commits`, act: (next) => writeAndCommit(next, transaction, index) });
    } else if (state.finalLsn === 0) actions.push({ label: `${name} commits`, act: (next) => commit(next, transaction, index) });
    else if (!state.visible)
      actions.push({
        label: `${name} becomes visible`,
        act: (next) => {
          at(next.transactions, index).visible = true;
        },
      });
  }
  return actions;
}

/** Row locks are held until the transaction is visible; TRUNCATE waits for every reader, and readers for it. */
function mayBegin(scenario: Scenario, world: World, index: number): boolean {
  const transaction = at(scenario.transactions, index);
  if (transaction.truncate && world.tool.chunks.some(({ stage }) => stage === 'reading')) return false;
  return scenario.transactions.every((other, position) => {
    if (position < index && other.session === transaction.session) return at(world.transactions, position).visible;
    return !(isOpen(at(world.transactions, position)) && conflicts(transaction, other));
  });
}

function conflicts(one: Transaction, other: Transaction): boolean {
  return one.truncate || other.truncate || one.changes.some(({ key }) => other.changes.some((change) => change.key === key));
}

function write(world: World, index: number): void {
  const state = at(world.transactions, index);
  state.xid = world.nextXid++;
  state.changeLsn = world.lsn;
  world.lsn += RECORD;
}

function commit(world: World, transaction: Transaction, index: number): void {
  const state = at(world.transactions, index);
  state.finalLsn = world.lsn;
  world.lsn += RECORD;
  state.endLsn = world.lsn;
  state.visible = !transaction.lags;
}

function writeAndCommit(world: World, transaction: Transaction, index: number): void {
  write(world, index);
  commit(world, transaction, index);
}

/** `pg_current_snapshot()`. */
export function currentSnapshot(world: World): Snapshot {
  const inProgress = world.transactions.filter(isOpen).map(({ xid }) => xid);
  return { xmin: Math.min(world.nextXid, ...inProgress), xmax: world.nextXid, inProgress };
}

export function asPgSnapshot({ xmin, xmax, inProgress }: Snapshot): PgSnapshot {
  return { xmin: BigInt(xmin), xmax: BigInt(xmax), inProgress: new Set(inProgress.map(BigInt)) };
}

export interface Rows {
  readonly rows: ReadonlyMap<Key, { readonly value: string; readonly block: number }>;
  /** Counts the files that the table has had: TRUNCATE makes a new one. */
  readonly file: number;
}

/** The table as the transactions that `sees` accepts leave it, in commit order. */
export function rowsAfter(scenario: Scenario, world: World, sees: (state: TransactionState) => boolean): Rows {
  const rows = new Map(scenario.rows.map(({ key, value, block }) => [key, { value, block }]));
  const committed = world.transactions.map((state, index) => ({ state, index })).filter(({ state }) => state.finalLsn > 0 && sees(state));
  let file = 0;
  for (const { index } of committed.sort((one, other) => one.state.finalLsn - other.state.finalLsn)) {
    const { truncate, changes } = at(scenario.transactions, index);
    if (truncate) {
      rows.clear();
      file++;
    }
    for (const { key, value, block } of changes) {
      if (value === null) rows.delete(key);
      else rows.set(key, { value, block });
    }
  }
  return { rows, file };
}

export function rowsIn(scenario: Scenario, world: World, snapshot: Snapshot): Rows {
  const seen = asPgSnapshot(snapshot);
  return rowsAfter(scenario, world, ({ xid }) => isVisible(seen, BigInt(xid)));
}

/** Keys and values as one text, to compare two sides by. */
export function contentOf(entries: Iterable<readonly [Key, { readonly value: string | null }]>): string {
  return [...entries]
    .flatMap(([key, { value }]) => (value === null ? [] : [`${key}=${value}`]))
    .sort()
    .join(' ');
}
