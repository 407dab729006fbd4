import type { SourceTable } from '../core/table.ts';
import { isTrue, query, type Session, textOf } from './connect.ts';
import type { FailureContext } from './sqlstate.ts';

/** Blocks of each leaf in the first part. */
const FIRST = 32;
/** 256 MiB: from here on a part more or less costs nothing. */
const LARGEST = 32_768;

/**
 * The heap blocks of the largest leaf, if `select` reads the table from one end to the other: it is then read in parts (`blockRanges`). Null if it must be read in one:
 * an index finds its rows, which each part would search again, or the role may not read `ctid`. The table must be locked.
 */
export async function blocksToScan(session: Session, table: SourceTable, context: FailureContext, select: string): Promise<number | null> {
  // The planner computes what is constant in an expression already, and may fail there.
  const [plan] = await query(session, context, `explain (format json, costs off) ${select}`);
  if (!textOf(plan, 'QUERY PLAN').includes('Seq Scan')) return null;
  const rows = await query(
    session,
    context,
    `select coalesce(max(pg_relation_size(relid) / current_setting('block_size')::int8), 0)::text as blocks,
       has_table_privilege($1::oid, 'select') or has_column_privilege($1::oid, 'ctid', 'select') as divisible
     from (select relid from pg_partition_tree($1) union select $1::oid) as tree`,
    [table.oid],
  );
  return isTrue(rows[0], 'divisible') ? Number(textOf(rows[0], 'blocks')) : null;
}

/**
 * The conditions on the row `t` of one part after another; together they are the whole table. The end of each statement is a sign of life: a filter that few rows pass would
 * send nothing for longer than any silence that a stopped backend can be told by, and no view shows how far a COPY of a query has come (docs/servers.md P37). So a part
 * is twice as large as the one before while those take less than an eighth of the silence, and half as large above a quarter.
 */
export function* blockRanges(blocks: number | null, silenceMs: number, now: () => number = () => performance.now()): Generator<string> {
  if (blocks === null) return yield '';
  let size = FIRST;
  let from = 0;
  while (from + size < blocks) {
    const startedAt = now();
    yield ` and t.ctid >= '(${from},0)'::tid and t.ctid < '(${from + size},0)'::tid`;
    const tookMs = now() - startedAt;
    from += size;
    if (tookMs < silenceMs / 8) size = Math.min(LARGEST, size * 2);
    else if (tookMs > silenceMs / 4) size = Math.max(1, size >> 1);
  }
  yield ` and t.ctid >= '(${from},0)'::tid`;
}
