import { FIELD_ABSENT, FIELD_NULL, type Row } from '../row.ts';
import type { ByteWriter } from './byte-writer.ts';
import { DocumentId } from './document-id.ts';
import type { DocumentPlan, Rejection } from './document-plan.ts';
import { writeNull } from './json-text.ts';
import { Literal } from './literal.ts';
import { encoderOf } from './value/encoder-of.ts';
import type { ValueEncoder } from './value/value-encoder.ts';

const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;

interface FieldWriter {
  readonly column: number;
  /** `"field":`, with the comma before it from the second field on. */
  readonly prefix: Literal;
  readonly encoder: ValueEncoder;
}

/**
 * Writes rows as documents: the one path that COPY, WAL and lookup share, so that a row gives the same bytes whatever way it came. Keeps scratch
 * space: one encoder for one thread, one row at a time.
 */
export class DocumentEncoder {
  /** `read` it, then take its bytes: the id without a copy, for the bulk body. */
  readonly documentId: DocumentId;
  readonly #plan: DocumentPlan;
  readonly #fields: readonly FieldWriter[];
  /** Columns that must be present: those of the fields and of the key. */
  readonly #needed: readonly number[];
  /** The column whose text is the routing, for the bulk body; −1 if there is none. */
  readonly routingColumn: number;

  constructor(plan: DocumentPlan) {
    this.#plan = plan;
    this.documentId = new DocumentId(plan);
    this.#fields = plan.fields.map(({ column, field }, i) => fieldWriter(plan, column, `${i === 0 ? '' : ','}${JSON.stringify(field)}:`));
    this.routingColumn = plan.routing ?? -1;
    this.#needed = [...new Set([...plan.key, ...plan.fields.map(({ column }) => column)])];
  }

  /**
   * Appends `{"field":value,…}`. A rejection leaves `out` as it was. Throws `RangeError` if a needed field is absent: ask `isComplete` first.
   */
  encode(row: Row, out: ByteWriter): Rejection | undefined {
    const mark = out.offset;
    out.byte(BRACE_OPEN);
    for (let i = 0; i < this.#fields.length; i++) {
      const field = this.#fields[i] as FieldWriter;
      const reason = writeField(field, row, out);
      if (reason === undefined) continue;
      out.offset = mark;
      return { column: this.#nameOf(field.column), reason };
    }
    out.byte(BRACE_CLOSE);
    return undefined;
  }

  /** The `_id` in its own bytes, or why the row can have none. */
  id(row: Row): Buffer | Rejection {
    const rejection = this.documentId.read(row);
    if (rejection !== undefined) return rejection;
    return Buffer.from(this.documentId.bytes.subarray(this.documentId.start, this.documentId.end));
  }

  /** The same bytes as latin1 text, which maps can have for a key: a string costs less than a buffer. */
  idText(row: Row): string | Rejection {
    const { documentId } = this;
    return documentId.read(row) ?? documentId.bytes.toString('latin1', documentId.start, documentId.end);
  }

  /** The routing of a row that has an id, in its own bytes (a view of the row's); undefined if documents are routed by their ids. */
  routing(row: Row): Buffer | undefined {
    const column = this.routingColumn;
    return column < 0 ? undefined : row.bytes.subarray(row.starts[column], row.ends[column]);
  }

  /**
   * True if no field of the document or of the key is absent (unchanged TOAST, generated or computed column): otherwise the row must be looked up. A streamed row never
   * is with a filter, which only the server can judge.
   */
  isComplete(row: Row): boolean {
    if (this.isFiltered) return false;
    for (let i = 0; i < this.#needed.length; i++) {
      if (row.starts[this.#needed[i] as number] === FIELD_ABSENT) return false;
    }
    return true;
  }

  /** True if there are rows without a document. */
  get isFiltered(): boolean {
    return this.#plan.where !== undefined;
  }

  #nameOf(column: number): string {
    return this.#plan.columns[column]?.name ?? '';
  }
}

function fieldWriter(plan: DocumentPlan, column: number, prefix: string): FieldWriter {
  const source = plan.columns[column];
  if (source === undefined) throw new RangeError(`the document plan has no column ${column}`);
  return { column, prefix: new Literal(prefix), encoder: encoderOf(source.form, plan) };
}

function writeField(field: FieldWriter, row: Row, out: ByteWriter): string | undefined {
  const start = row.starts[field.column] as number;
  out.literal(field.prefix);
  if (start >= 0) return field.encoder.encode(row.bytes, start, row.ends[field.column] as number, out);
  if (start !== FIELD_NULL) throw new RangeError(`column ${field.column} is absent from the message`);
  writeNull(out);
  return undefined;
}
