import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { FIELD_NULL, type Row } from '../../../src/core/row.ts';
import type { Column } from '../../../src/core/table.ts';

export function columnOf(name: string, form: ValueForm, more: Partial<Column> = {}): Column {
  return { name, attnum: 1, typeName: 'text', typeOid: 25, typmod: -1, notNull: false, generated: false, form, ...more };
}

/** A plan whose first column is the key and all columns are fields of the same name. */
export function planOf(forms: { readonly [name: string]: ValueForm }, more: Partial<DocumentPlan> = {}): DocumentPlan {
  const columns = Object.entries(forms).map(([name, form]) => columnOf(name, form));
  const fields = columns.map(({ name }, column) => ({ column, field: name }));
  return { columns, fields, key: [0], onNonFinite: 'reject', onUnrepresentable: 'reject', idHash: 'none', ...more };
}

/** A row of these texts, with bytes of something else around them. */
export function rowOf(texts: readonly (string | null)[]): Row {
  const starts: number[] = [];
  const ends: number[] = [];
  let all = '"';
  for (const text of texts) {
    starts.push(text === null ? FIELD_NULL : Buffer.byteLength(all));
    all += text ?? '';
    ends.push(text === null ? FIELD_NULL : Buffer.byteLength(all));
    all += '"';
  }
  return { bytes: Buffer.from(all), starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}
