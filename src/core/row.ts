/** A field whose value is SQL NULL. */
export const FIELD_NULL = -1;
/** A field the message does not carry: an unchanged TOAST value, or a column the stream never sends (generated). It must be looked up. */
export const FIELD_ABSENT = -2;

/**
 * One row as text, whatever way it came (COPY, WAL, lookup): field `i` is `bytes[starts[i], ends[i])`, PostgreSQL's text form in UTF-8, with
 * COPY escapes already removed. `starts[i]` is `FIELD_NULL` or `FIELD_ABSENT` where there is no text. Fields are in the order of
 * `SourceTable.columns`. Readers reuse one `Row` object and its buffer: copy (`copyRow`) what must outlive the next read.
 */
export interface Row {
  bytes: Buffer;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Nothing can be written into it. */
export const NO_BYTES = Buffer.alloc(0);

/** A `Row` with room for `columnCount` fields, all NULL. */
export function emptyRow(columnCount: number): Row {
  return {
    bytes: NO_BYTES,
    starts: new Int32Array(columnCount).fill(FIELD_NULL),
    ends: new Int32Array(columnCount).fill(FIELD_NULL),
  };
}

/** Forgets the bytes that were read into it last: a row that is used again must not keep them. */
export function releaseBytes(row: Row): void {
  row.bytes = NO_BYTES;
}

/** The texts of these fields, which are a key's; empty for NULL. Throws `RangeError` on an absent field. */
export function keyTexts(row: Row, key: readonly number[]): readonly string[] {
  return key.map((column) => fieldText(row, column) ?? '');
}

/** A compact copy that owns its bytes. */
export function copyRow(row: Row): Row {
  return compact(row.starts.length, () => row);
}

/** A row that owns its bytes; its field `i` is that of `from(i)`. */
function compact(columnCount: number, from: (i: number) => Row): Row {
  let length = 0;
  for (let i = 0; i < columnCount; i++) length += fieldLength(from(i), i);
  const copy: Row = { bytes: Buffer.allocUnsafe(length), starts: new Int32Array(columnCount), ends: new Int32Array(columnCount) };
  let at = 0;
  for (let i = 0; i < columnCount; i++) {
    const { bytes, starts, ends } = from(i);
    const start = starts[i] as number;
    copy.starts[i] = start < 0 ? start : at;
    if (start >= 0) at += bytes.copy(copy.bytes, at, start, ends[i]);
    copy.ends[i] = at;
  }
  return copy;
}

/** The field's text, or `null` for SQL NULL; throws `RangeError` on an absent field. */
export function fieldText(row: Row, column: number): string | null {
  const start = row.starts[column] as number;
  if (start === FIELD_NULL) return null;
  if (start === FIELD_ABSENT) throw new RangeError(`column ${column} is absent from the message`);
  return row.bytes.toString('utf8', start, row.ends[column]);
}

function fieldLength(row: Row, column: number): number {
  const start = row.starts[column] as number;
  return start < 0 ? 0 : (row.ends[column] as number) - start;
}

/** `row` with its absent fields taken from `earlier` (an older state of the same row): a compact copy that owns its bytes, or `row` itself if none is absent. */
export function fillAbsent(row: Row, earlier: Row): Row {
  if (!row.starts.includes(FIELD_ABSENT)) return row;
  return compact(row.starts.length, (i) => (row.starts[i] === FIELD_ABSENT ? earlier : row));
}

/** A row of the given texts (`null` = SQL NULL), as a reader of PostgreSQL would have made it. */
export function rowFromTexts(texts: readonly (string | null)[]): Row {
  const row: Row = { ...emptyRow(texts.length), bytes: Buffer.from(texts.map((text) => text ?? '').join(''), 'utf8') };
  let at = 0;
  for (const [column, text] of texts.entries()) {
    if (text === null) continue;
    row.starts[column] = at;
    at += Buffer.byteLength(text, 'utf8');
    row.ends[column] = at;
  }
  return row;
}
