import type { ByteWriter } from '../byte-writer.ts';
import { writeNull } from '../json-text.ts';
import { Literal } from '../literal.ts';
import { PartReader } from './part-reader.ts';
import type { ValueEncoder } from './value-encoder.ts';

const OPEN = 0x28;
const CLOSE = 0x29;
const COMMA = 0x2c;
const JSON_CLOSE = 0x7d;
const MALFORMED = 'not a composite text of the known attributes';

interface Attribute {
  /** `"name":`, with what stands before it. */
  readonly prefix: Literal;
  readonly encoder: ValueEncoder;
}

/**
 * `(1,"a b",)` → an object of the attributes in order; nothing between two commas is NULL, `""` is the empty text
 * (https://www.postgresql.org/docs/current/rowtypes.html#ROWTYPES-IO-SYNTAX).
 */
export class CompositeEncoder implements ValueEncoder {
  readonly #attributes: readonly Attribute[];
  readonly #part = new PartReader(COMMA, COMMA);

  constructor(attributes: readonly { readonly name: string; readonly encoder: ValueEncoder }[]) {
    this.#attributes = attributes.map(({ name, encoder }, i) => ({ prefix: new Literal(`${i === 0 ? '' : ','}${JSON.stringify(name)}:`), encoder }));
  }

  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined {
    if (end - start < 2 || bytes[start] !== OPEN || bytes[end - 1] !== CLOSE) return MALFORMED;
    out.byte(0x7b);
    let at = start + 1;
    for (let i = 0; i < this.#attributes.length; i++) {
      const attribute = this.#attributes[i] as Attribute;
      if (i > 0 && bytes[at++] !== COMMA) return MALFORMED;
      at = this.#part.read(bytes, at, end - 1);
      const reason = at < 0 ? MALFORMED : this.#encodeAttribute(attribute, out);
      if (reason !== undefined) return reason;
    }
    out.byte(JSON_CLOSE);
    return at === end - 1 ? undefined : MALFORMED;
  }

  #encodeAttribute(attribute: Attribute, out: ByteWriter): string | undefined {
    out.literal(attribute.prefix);
    if (!this.#part.missing) return this.#part.encodeBy(attribute.encoder, out);
    writeNull(out);
    return undefined;
  }
}
