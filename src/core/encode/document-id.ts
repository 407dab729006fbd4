import { createHash } from 'node:crypto';
import { FIELD_ABSENT, type Row } from '../row.ts';
import { ByteWriter } from './byte-writer.ts';
import type { DocumentPlan, Rejection } from './document-plan.ts';

/** Elasticsearch refuses a longer `_id`, and with it the whole bulk (docs/servers.md E9, E10). In UTF-8 bytes. */
export const MAX_ID_BYTES = 512;
/** The longest term that Lucene takes; `_routing` is one (docs/servers.md E13). */
const MAX_ROUTING_BYTES = 32_766;

const COLON = 0x3a;
const BACKSLASH = 0x5c;
const HASH_PREFIX = Buffer.from('sha256:');

/**
 * The `_id` of a row, as UTF-8 bytes. Frozen: another encoding would duplicate every document on the next run.
 *
 * - One key column: its text.
 * - Several: their texts in key order, joined by `:`, with `\` before every `:` and `\` inside a part. Injective, because an unescaped
 *   colon can only be a joint.
 * - With `idHash: sha256`, an id longer than 512 bytes becomes `sha256:` and the hash in hex; so does one that begins with `sha256:` itself, or
 *   it could be taken for the hash of another.
 *
 * A row whose routing Elasticsearch does not take has no place in the index, so it has no id either.
 */
export class DocumentId {
  /** The id of the last row read is `bytes[start, end)`, valid until the next `read` or until the row changes. */
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  readonly #plan: DocumentPlan;
  readonly #scratch = new ByteWriter(MAX_ID_BYTES);

  constructor(plan: DocumentPlan) {
    this.#plan = plan;
    if (plan.key.length === 0) throw new RangeError('a document plan needs at least one key column');
  }

  read(row: Row): Rejection | undefined {
    const rejection = this.#plan.key.length === 1 ? this.#readSingle(row) : this.#readParts(row);
    if (rejection !== undefined) return rejection;
    if (this.start === this.end) return this.#reject('the id is empty');
    if (this.#plan.idHash === 'sha256' && this.#mustHash()) this.#hash();
    if (this.end - this.start > MAX_ID_BYTES) return this.#reject(`the id is longer than ${MAX_ID_BYTES} bytes (idHash: sha256 would hash it)`);
    return this.#plan.routing === undefined ? undefined : this.#checkRouting(row, this.#plan.routing);
  }

  #checkRouting(row: Row, column: number): Rejection | undefined {
    const length = (row.ends[column] as number) - (row.starts[column] as number);
    if (length === 0) return this.#reject('the routing is empty, which Elasticsearch takes for none', column);
    return length > MAX_ROUTING_BYTES ? this.#reject(`the routing is longer than ${MAX_ROUTING_BYTES} bytes`, column) : undefined;
  }

  #readSingle(row: Row): Rejection | undefined {
    const column = this.#plan.key[0] as number;
    const start = keyStart(row, column);
    if (start < 0) return this.#reject('the key is null', column);
    this.#set(row.bytes, start, row.ends[column] as number);
    return undefined;
  }

  #readParts(row: Row): Rejection | undefined {
    const scratch = this.#scratch;
    scratch.reset();
    for (const [i, column] of this.#plan.key.entries()) {
      const start = keyStart(row, column);
      if (start < 0) return this.#reject('the key is null', column);
      if (i > 0) scratch.byte(COLON);
      writePart(row.bytes, start, row.ends[column] as number, scratch);
    }
    this.#set(scratch.buffer, 0, scratch.offset);
    return undefined;
  }

  #mustHash(): boolean {
    if (this.end - this.start > MAX_ID_BYTES) return true;
    const stop = this.start + HASH_PREFIX.length;
    return stop <= this.end && HASH_PREFIX.compare(this.bytes, this.start, stop) === 0;
  }

  #hash(): void {
    const hex = createHash('sha256').update(this.bytes.subarray(this.start, this.end)).digest('hex');
    const hashed = Buffer.from(`${HASH_PREFIX.toString()}${hex}`);
    this.#set(hashed, 0, hashed.length);
  }

  #set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  #reject(reason: string, column = this.#plan.key[0] as number): Rejection {
    return { column: this.#plan.columns[column]?.name ?? '', reason };
  }
}

function keyStart(row: Row, column: number): number {
  const start = row.starts[column] as number;
  if (start === FIELD_ABSENT) throw new RangeError(`key column ${column} is absent from the message`);
  return start;
}

function writePart(bytes: Buffer, start: number, end: number, out: ByteWriter): void {
  out.ensure((end - start) * 2);
  const target = out.buffer;
  let at = out.offset;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === COLON || byte === BACKSLASH) target[at++] = BACKSLASH;
    target[at++] = byte;
  }
  out.offset = at;
}
