import type { ByteWriter } from '../byte-writer.ts';
import type { DocumentPlan, ValuePolicy } from '../document-plan.ts';
import { writeNull, writeString } from '../json-text.ts';

/**
 * Turns the text of one value, `bytes[start, end)`, into JSON text. Returns why it cannot (without values), or undefined. After a refusal
 * the writer's offset is anywhere: the document encoder puts it back. An encoder may keep scratch space: a type never contains itself, so
 * no encoder is entered twice.
 */
export interface ValueEncoder {
  encode(bytes: Buffer, start: number, end: number, out: ByteWriter): string | undefined;
}

export type ValuePolicies = Pick<DocumentPlan, 'onNonFinite' | 'onUnrepresentable'>;

/** What is written instead of a value that Elasticsearch cannot hold; the reason under `reject`. */
export function substitute(
  policy: ValuePolicy,
  reason: string,
  text: { bytes: Buffer; start: number; end: number },
  out: ByteWriter,
): string | undefined {
  if (policy === 'reject') return reason;
  if (policy === 'null') writeNull(out);
  else writeString(text.bytes, text.start, text.end, out);
  return undefined;
}
