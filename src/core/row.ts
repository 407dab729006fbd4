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

/** One for all rows: nothing can be written into it, and the stream makes a row for each change. */
const NO_BYTES = Buffer.alloc(0);

/** A `Row` with room for `columnCount` fields, all NULL. */
export function emptyRow(columnCount: number): Row {
  return {
    bytes: NO_BYTES,
    starts: new Int32Array(columnCount).fill(FIELD_NULL),
    ends: new Int32Array(columnCount).fill(FIELD_NULL),
  };
}

/** A `Row` that a reader fills: `starts` of all fields, and `ends` where there is text. */
export function unreadRow(columnCount: number): Row {
  return { bytes: NO_BYTES, starts: new Int32Array(columnCount), ends: new Int32Array(columnCount) };
}

/** The texts of these fields, which are a key's; empty for NULL. Throws `RangeError` on an absent field. */
export function keyTexts(row: Row, key: readonly number[]): readonly string[] {
  return key.map((column) => fieldText(row, column) ?? '');
}

/** A compact copy that owns its bytes. */
export function copyRow(row: Row): Row {
  let length = 0;
  for (let i = 0; i < row.starts.length; i++) length += fieldLength(row, i);
  const copy: Row = { bytes: Buffer.allocUnsafe(length), starts: new Int32Array(row.starts), ends: new Int32Array(row.ends) };
  let at = 0;
  for (let i = 0; i < row.starts.length; i++) {
    const start = row.starts[i] as number;
    if (start < 0) continue;
    const end = row.ends[i] as number;
    row.bytes.copy(copy.bytes, at, start, end);
    copy.starts[i] = at;
    at += end - start;
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

/** `row` with its absent fields taken from `earlier` (an older state of the same row); owns its bytes only if something was taken. */
export function fillAbsent(row: Row, earlier: Row): Row {
  let extra = 0;
  for (let i = 0; i < row.starts.length; i++) {
    if (row.starts[i] === FIELD_ABSENT) extra += fieldLength(earlier, i);
  }
  if (!row.starts.includes(FIELD_ABSENT)) return row;
  const filled: Row = { bytes: Buffer.allocUnsafe(row.bytes.length + extra), starts: new Int32Array(row.starts), ends: new Int32Array(row.ends) };
  row.bytes.copy(filled.bytes, 0);
  let at = row.bytes.length;
  for (let i = 0; i < row.starts.length; i++) {
    if (row.starts[i] !== FIELD_ABSENT) continue;
    const start = earlier.starts[i] as number;
    if (start < 0) {
      filled.starts[i] = start;
      continue;
    }
    earlier.bytes.copy(filled.bytes, at, start, earlier.ends[i]);
    filled.starts[i] = at;
    at += fieldLength(earlier, i);
    filled.ends[i] = at;
  }
  return filled;
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
