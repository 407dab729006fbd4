/**
 * The pgoutput wire format, protocol version 1, text values
 * (https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html). One message in, one value out; no I/O.
 */
import { FIELD_ABSENT, FIELD_NULL, type Row } from '../row.ts';

/** One message, `[start, end)` of a piece of what arrived, which other messages share. Nothing is written into a piece again. */
export interface WalBytes {
  readonly piece: Buffer;
  readonly start: number;
  readonly end: number;
}

export interface RelationColumn {
  readonly name: string;
  readonly typeOid: number;
  readonly typmod: number;
}

export interface RelationMessage {
  readonly kind: 'relation';
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly identity: string;
  readonly columns: readonly RelationColumn[];
}

export type WalMessage =
  | { readonly kind: 'begin'; readonly finalLsn: bigint; readonly xid: number }
  | { readonly kind: 'commit'; readonly commitLsn: bigint; readonly endLsn: bigint }
  | RelationMessage
  | { readonly kind: 'insert'; readonly oid: number; readonly after: number }
  /** `before` and `after` are where tuples begin in the piece; `identity` is the kind of the old tuple. */
  | { readonly kind: 'update'; readonly oid: number; readonly before: number; readonly identity: 'key' | 'full' | 'none'; readonly after: number }
  | { readonly kind: 'delete'; readonly oid: number; readonly before: number; readonly identity: 'key' | 'full' }
  | { readonly kind: 'truncate'; readonly oids: readonly number[] }
  /** Of a data type: like a relation it comes again in each session. */
  | { readonly kind: 'type' }
  /** Origin and logical messages: nothing to apply. */
  | { readonly kind: 'ignored' };

const TUPLE_NULL = 0x6e; // n
const TUPLE_UNCHANGED = 0x75; // u
const TUPLE_TEXT = 0x74; // t

/** Reads the envelope of one message; tuples stay in the piece and are read by `readTuple`. Throws `RangeError` on an unknown message. */
export function decodeMessage({ piece: bytes, start, end }: WalBytes): WalMessage {
  switch (bytes[start]) {
    case 0x42: // B
      return { kind: 'begin', finalLsn: bytes.readBigUInt64BE(start + 1), xid: bytes.readUInt32BE(start + 17) };
    case 0x43: // C
      return { kind: 'commit', commitLsn: bytes.readBigUInt64BE(start + 2), endLsn: bytes.readBigUInt64BE(start + 10) };
    case 0x52: // R
      return decodeRelation(bytes, start);
    case 0x49: // I: oid, 'N', tuple
      return { kind: 'insert', oid: bytes.readUInt32BE(start + 1), after: start + 6 };
    case 0x55: // U
      return decodeUpdate(bytes, start);
    case 0x44: // D: oid, 'K' | 'O', tuple
      return { kind: 'delete', oid: bytes.readUInt32BE(start + 1), before: start + 6, identity: bytes[start + 5] === 0x4f ? 'full' : 'key' };
    case 0x54: // T
      return decodeTruncate(bytes, start);
    case 0x59: // Y
      return { kind: 'type' };
    case 0x4f: // O
    case 0x4d: // M
      return { kind: 'ignored' };
    default:
      throw new RangeError(`unknown pgoutput message 0x${(bytes[start] ?? 0).toString(16)} of ${end - start} bytes`);
  }
}

/**
 * Reads the tuple at `offset` into `row`, whose bytes become `bytes`. `target[i]` is the row's field for the stream's column i, or −1.
 * Fields that no column of the stream maps to are left absent. Returns the offset behind the tuple.
 */
export function readTuple(bytes: Buffer, offset: number, target: Int32Array, row: Row): number {
  row.bytes = bytes;
  row.starts.fill(FIELD_ABSENT);
  const count = bytes.readUInt16BE(offset);
  let at = offset + 2;
  for (let i = 0; i < count; i++) {
    const field = target[i] ?? -1;
    const kind = bytes[at++];
    if (kind === TUPLE_TEXT) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (field >= 0) {
        row.starts[field] = at;
        row.ends[field] = at + length;
      }
      at += length;
    } else if (kind === TUPLE_NULL) {
      if (field >= 0) row.starts[field] = FIELD_NULL;
    } else if (kind !== TUPLE_UNCHANGED) {
      throw new RangeError(`unknown tuple value kind 0x${(kind ?? 0).toString(16)}`);
    }
  }
  return at;
}

function decodeUpdate(bytes: Buffer, start: number): WalMessage {
  const oid = bytes.readUInt32BE(start + 1);
  const marker = bytes[start + 5];
  if (marker === 0x4e) return { kind: 'update', oid, before: -1, identity: 'none', after: start + 6 }; // N
  const after = skipTuple(bytes, start + 6) + 1;
  return { kind: 'update', oid, before: start + 6, identity: marker === 0x4f ? 'full' : 'key', after };
}

function decodeTruncate(bytes: Buffer, start: number): WalMessage {
  const count = bytes.readUInt32BE(start + 1);
  return { kind: 'truncate', oids: Array.from({ length: count }, (_, i) => bytes.readUInt32BE(start + 6 + 4 * i)) };
}

function decodeRelation(bytes: Buffer, start: number): RelationMessage {
  const schema = readText(bytes, start + 5);
  const name = readText(bytes, schema.end);
  const columns: RelationColumn[] = [];
  const count = bytes.readUInt16BE(name.end + 1);
  let at = name.end + 3;
  for (let i = 0; i < count; i++) {
    const column = readText(bytes, at + 1);
    columns.push({ name: column.text, typeOid: bytes.readUInt32BE(column.end), typmod: bytes.readInt32BE(column.end + 4) });
    at = column.end + 8;
  }
  // An empty schema name stands for pg_catalog.
  return {
    kind: 'relation',
    oid: bytes.readUInt32BE(start + 1),
    schema: schema.text === '' ? 'pg_catalog' : schema.text,
    name: name.text,
    identity: String.fromCharCode(bytes[name.end] ?? 0),
    columns,
  };
}

function skipTuple(bytes: Buffer, offset: number): number {
  const count = bytes.readUInt16BE(offset);
  let at = offset + 2;
  for (let i = 0; i < count; i++) {
    if (bytes[at++] === TUPLE_TEXT) at += 4 + bytes.readInt32BE(at);
  }
  return at;
}

function readText(bytes: Buffer, start: number): { readonly text: string; readonly end: number } {
  const stop = bytes.indexOf(0, start);
  return { text: bytes.toString('utf8', start, stop), end: stop + 1 };
}
