import { Failure } from '../core/failure.ts';
import type { Leaf, SourceTable } from '../core/table.ts';
import { nameInSql } from '../core/table.ts';
import { parseSnapshot } from '../core/wal/snapshot.ts';
import type { ChunkReader, ChunkRequest, TableRequest } from '../phases/ports.ts';
import { blockRanges, blocksToScan } from './block-ranges.ts';
import { endSession, isTrue, query, type Session, textOf } from './connect.ts';
import { abandonCopy, type CopyOut, startCopies, startCopy } from './copy-out.ts';
import { hasExpressions } from './expression.ts';
import { andFilter, quoteColumns, quoteFromRelation, quoteQualified } from './quote.ts';
import type { SessionPool } from './session-pool.ts';
import { beginUnder, endTransaction } from './snapshot-transaction.ts';
import { sqlstateOf, toFailure } from './sqlstate.ts';

const LOCK_TIMEOUT = '5s';
const LOCK_ATTEMPTS = 12;

interface Guard {
  readonly snapshot: string;
  readonly relfilenode: number;
  /** The snapshot's catalog names the same file as the server uses now (docs/servers.md P22). */
  readonly current: boolean;
}

interface LeafName {
  readonly schema: string;
  readonly name: string;
  readonly lockable: boolean;
}

/**
 * Opens one chunk: lock, then snapshot, then the guard's figures, then COPY of a block range. The lock comes before the snapshot (LOCK TABLE takes
 * none), so no rewrite can hide between the two (docs/servers.md P22). Throws `source-changed` if the leaf is gone, `stalled` if it stays locked.
 */
export async function openChunk(pool: SessionPool, request: ChunkRequest): Promise<ChunkReader> {
  const session = await pool.acquire();
  try {
    const { leaf, guard } = await lockLeaf(session, request.leaf);
    const upper = request.to === null ? '' : ` and t.ctid < '(${request.to},0)'::tid`;
    const select = `select ${quoteColumns('t', request.columns)} from only ${quoteQualified(leaf)} t where t.ctid >= '(${request.from},0)'::tid${upper}${andFilter(request.where)}`;
    const doing = `reading blocks ${request.from} to ${request.to ?? 'the end'} of ${nameInSql(leaf)}`;
    return reader(pool, session, guard, startCopy(session, { doing, expressions: hasExpressions(request) }, select));
  } catch (error) {
    await endSession(session);
    throw error;
  }
}

/**
 * The whole table under an exported snapshot, or a fresh one if null. `relfilenode` is the root's (0 for a partitioned table). Throws `stalled` if a
 * leaf was rewritten after the snapshot: COPY would then answer too few rows without any error (docs/servers.md P22).
 */
export async function openTable(pool: SessionPool, request: TableRequest): Promise<ChunkReader> {
  const session = await pool.acquire();
  try {
    await beginUnder(session, request.snapshotName);
    const from = quoteFromRelation(request.table);
    await query(session, { doing: `locking ${nameInSql(request.table)}` }, `select from ${from} limit 0`);
    const guard = await readGuard(session, request.table.oid);
    if (!guard.current) throw rewritten(request.table);
    const context = { doing: `reading ${nameInSql(request.table)}`, expressions: hasExpressions(request) };
    const select = (range: string): string =>
      `select ${quoteColumns('t', request.columns)} from ${from} t where true${range}${andFilter(request.where)}`;
    const blocks = await blocksToScan(session, request.table, context, select(''));
    return reader(pool, session, guard, startCopies(session, context, selects(blockRanges(blocks, session.silenceMs), select)));
  } catch (error) {
    await endSession(session);
    throw error;
  }
}

function* selects(ranges: Iterable<string>, select: (range: string) => string): Generator<string> {
  for (const range of ranges) yield select(range);
}

function rewritten(table: SourceTable): Failure {
  return new Failure('stalled', `${nameInSql(table)} was truncated or rewritten after the snapshot was taken`, {
    hint: 'The snapshot cannot be read any more; run the same command again.',
  });
}

function reader(pool: SessionPool, session: Session, guard: Guard, running: CopyOut): ChunkReader {
  let closed = false;
  return {
    snapshot: parseSnapshot(guard.snapshot),
    relfilenode: guard.relfilenode,
    chunks: () => running.chunks(),
    close: async () => {
      if (closed) return;
      closed = true;
      if (!running.finished) return abandonCopy(pool, session);
      await endTransaction(session);
      pool.release(session);
    },
  };
}

/** Begins the transaction with the leaf locked under its present name; a rename or rewrite in between means one more try. */
async function lockLeaf(session: Session, leaf: Leaf): Promise<{ readonly leaf: LeafName; readonly guard: Guard }> {
  for (let attempt = 1; attempt <= LOCK_ATTEMPTS; attempt++) {
    const current = await nameOf(session, leaf);
    await beginUnder(session, null);
    if (await tryLockTable(session, current)) {
      const guard = await readGuard(session, leaf.oid);
      if (guard.current && (await isNamed(session, leaf.oid, current))) return { leaf: current, guard };
    }
    await query(session, { doing: 'rolling back' }, 'rollback');
  }
  throw new Failure('stalled', `${nameInSql(leaf)} could not be locked for reading in ${LOCK_ATTEMPTS} attempts of ${LOCK_TIMEOUT}`, {
    hint: 'Some session holds or waits for ACCESS EXCLUSIVE on it: select pid, pg_blocking_pids(pid) from pg_locks where not granted;',
  });
}

/** False after the lock timeout: whoever alters the table must not queue behind us, nor we behind him for ever. */
async function tryLockTable(session: Session, leaf: LeafName): Promise<boolean> {
  await query(session, { doing: 'setting the lock timeout' }, `set local lock_timeout = '${LOCK_TIMEOUT}'`);
  try {
    // LOCK TABLE wants SELECT on the whole table. With a grant on columns only, an empty SELECT locks as well, but its snapshot is older than
    // the lock: `Guard.current` then tells whether a rewrite came between the two.
    await session.client.query(
      leaf.lockable ? `lock table only ${quoteQualified(leaf)} in access share mode` : `select from only ${quoteQualified(leaf)} limit 0`,
    );
    return true;
  } catch (error) {
    const sqlstate = sqlstateOf(error);
    // 42P01: dropped, or renamed just now; the next look by OID tells.
    if (sqlstate === '55P03' || sqlstate === '42P01') return false;
    throw toFailure(error, { doing: `locking ${nameInSql(leaf)}` });
  }
}

async function nameOf(session: Session, leaf: Leaf): Promise<LeafName> {
  const rows = await query(
    session,
    { doing: 'looking up a leaf' },
    `select n.nspname as schema, c.relname as name, has_table_privilege(c.oid, 'select') as lockable
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = $1`,
    [leaf.oid],
  );
  if (rows[0] !== undefined) return { schema: textOf(rows[0], 'schema'), name: textOf(rows[0], 'name'), lockable: isTrue(rows[0], 'lockable') };
  throw new Failure('source-changed', `${nameInSql(leaf)} (oid ${leaf.oid}) was dropped during the build`, { hint: 'Start a new build.' });
}

async function isNamed(session: Session, oid: number, leaf: LeafName): Promise<boolean> {
  const rows = await query(session, { doing: 'checking the name of a leaf' }, 'select $1::regclass::oid::text as oid', [quoteQualified(leaf)]);
  return Number(textOf(rows[0], 'oid')) === oid;
}

/** The relation is the root or a leaf; for a root `current` covers its leaves. */
async function readGuard(session: Session, oid: number): Promise<Guard> {
  const rows = await query(
    session,
    { doing: 'reading the chunk guard' },
    `select pg_current_snapshot()::text as snapshot, coalesce(pg_relation_filenode($1::oid), 0)::text as relfilenode,
       coalesce(bool_and(c.relfilenode = coalesce(pg_relation_filenode(c.oid), 0)), false) as current
     from (select relid from pg_partition_tree($1) union select $1::oid) as tree join pg_class c on c.oid = tree.relid`,
    [oid],
  );
  const [row] = rows;
  return { snapshot: textOf(row, 'snapshot'), relfilenode: Number(textOf(row, 'relfilenode')), current: isTrue(row, 'current') };
}
