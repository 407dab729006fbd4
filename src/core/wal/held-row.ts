import { NO_BYTES, type Row } from '../row.ts';
import { readTuple } from './pgoutput.ts';

/** The fields of a row for the columns of a tuple, as `readTuple` takes them. */
export interface TupleTargets {
  readonly whole: Int32Array;
  /** Of an old tuple that has only the key: `n` in the other columns does not mean NULL (docs/servers.md P12). */
  readonly key: Int32Array;
}

/**
 * A row that waits: where its tuple begins in a piece of what arrived, or `row` where it was put together from several. It is read again each time it is needed, which costs less
 * than the arrays of a `Row` that live as long as it waits. Both kinds have one shape, so that V8 reads either by the same code.
 */
export interface HeldRow {
  readonly piece: Buffer;
  readonly offset: number;
  readonly target: Int32Array;
  readonly row: Row | null;
}

const NOWHERE = new Int32Array(0);

/** The row whose tuple begins at `offset`. */
export function holdTuple(piece: Buffer, offset: number, target: Int32Array): HeldRow {
  return { piece, offset, target, row: null };
}

/** A row that owns its bytes. */
export function holdRow(row: Row): HeldRow {
  return { piece: NO_BYTES, offset: 0, target: NOWHERE, row };
}

/** The row, which may be `scratch`: valid until the next one is read into that. */
export function readHeld({ piece, offset, target, row }: HeldRow, scratch: Row): Row {
  if (row !== null) return row;
  readTuple(piece, offset, target, scratch);
  return scratch;
}
