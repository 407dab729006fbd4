import { ByteWriter } from '../../core/encode/byte-writer.ts';
import { CopyTextReader } from '../../core/encode/copy-text.ts';
import { DocumentEncoder } from '../../core/encode/document.ts';
import type { DocumentPlan } from '../../core/encode/document-plan.ts';
import type { Row } from '../../core/row.ts';
import type { Column } from '../../core/table.ts';
import { throwIfAborted } from '../build/run-state.ts';
import { closingAfter } from '../flow/closing-after.ts';
import type { Comparison } from './comparison.ts';

export interface SourceVisitor {
  /** A row with its document and routing as the load would send it; all are valid only during the call. */
  document(id: Buffer, document: Buffer, row: Row, routing: Buffer | undefined): void;
  /** A row that cannot be, or was not, indexed: it must have no document. */
  rejected(): void;
  /** Called between two reads of the table, for what takes time. */
  pause?(): Promise<void>;
}

/** Reads the whole table under the snapshot and encodes every row. */
export async function scanSource(comparison: Comparison, stop: AbortSignal, visitor: SourceVisitor): Promise<void> {
  const { plan } = comparison.context;
  const encoder = new DocumentEncoder(plan);
  const writer = new ByteWriter(64 * 1024);
  const visit = (row: Row): void => {
    writer.reset();
    const id = encoder.id(row);
    if (!Buffer.isBuffer(id) || isRejected(comparison, id) || encoder.encode(row, writer) !== undefined) visitor.rejected();
    else visitor.document(id, writer.view(), row, encoder.routing(row));
  };
  await readRows(comparison, { columns: plan.columns, stop, onRow: visit, pause: visitor.pause?.bind(visitor) });
}

/** Counts the rows under the snapshot by reading their keys only. */
export async function countRows(comparison: Comparison, stop: AbortSignal): Promise<{ readonly rows: number; readonly rejected: number }> {
  const plan = keyPlan(comparison.context.plan);
  const encoder = new DocumentEncoder(plan);
  let rows = 0;
  let rejected = 0;
  const onRow = (row: Row): void => {
    rows++;
    const id = encoder.id(row);
    if (!Buffer.isBuffer(id) || isRejected(comparison, id)) rejected++;
  };
  await readRows(comparison, { columns: plan.columns, stop, onRow });
  return { rows, rejected };
}

/** The plan of a document that has nothing but its id; its rows are the key columns in key order. */
export function keyPlan(plan: DocumentPlan): DocumentPlan {
  const columns = plan.key.map((at) => plan.columns[at] as Column);
  const routing = plan.routing === undefined ? {} : { routing: plan.key.indexOf(plan.routing) };
  return { ...plan, columns, fields: [], key: columns.map((_, at) => at), ...routing };
}

function isRejected(comparison: Comparison, id: Buffer): boolean {
  return comparison.rejected.size > 0 && comparison.rejected.has(id.toString('utf8'));
}

interface RowRequest {
  readonly columns: readonly Column[];
  readonly stop: AbortSignal;
  readonly onRow: (row: Row) => void;
  readonly pause?: (() => Promise<void>) | undefined;
}

async function readRows(comparison: Comparison, { columns, stop, onRow, pause }: RowRequest): Promise<void> {
  const { source, table, plan, audit } = comparison.context;
  const reader = await source.openTable({ table, columns, where: plan.where, snapshotName: comparison.snapshotName });
  await closingAfter(
    () => reader.close(),
    async () => {
      const rows = new CopyTextReader(columns.length);
      let unpaced = 0;
      const counted = (row: Row): void => {
        unpaced++;
        onRow(row);
      };
      for await (const chunk of reader.chunks()) {
        throwIfAborted(stop);
        rows.push(chunk, counted);
        await pause?.();
        await audit?.paceSource(unpaced);
        unpaced = 0;
        await comparison.touchFrozen();
      }
      rows.end();
    },
  );
}
