import type { ValueForm } from '../value-form.ts';
import { ArrayEncoder } from './encode-array.ts';
import { ByteaEncoder } from './encode-bytea.ts';
import { CompositeEncoder } from './encode-composite.ts';
import { HstoreEncoder } from './encode-hstore.ts';
import { NumberEncoder } from './encode-number.ts';
import { MultirangeEncoder, RangeEncoder } from './encode-range.ts';
import { BooleanEncoder, JsonEncoder, StringEncoder } from './encode-text.ts';
import { TimeEncoder } from './encode-time.ts';
import type { ValueEncoder, ValuePolicies } from './value-encoder.ts';

/** The encoder of a form. Every call makes new ones: their scratch space belongs to one place of one document. */
export function encoderOf(form: ValueForm, policies: ValuePolicies): ValueEncoder {
  switch (form.kind) {
    case 'number':
      return new NumberEncoder(policies);
    case 'boolean':
      return new BooleanEncoder();
    case 'string':
      return new StringEncoder();
    case 'date':
    case 'timestamp':
    case 'timestamptz':
      return new TimeEncoder(form.kind, policies);
    case 'json':
      return new JsonEncoder();
    case 'bytea':
      return new ByteaEncoder();
    case 'hstore':
      return new HstoreEncoder();
    case 'array':
      return new ArrayEncoder(encoderOf(form.element, policies), form.delimiter);
    case 'range':
      return new RangeEncoder(encoderOf(form.bound, policies));
    case 'multirange':
      return new MultirangeEncoder(encoderOf(form.bound, policies));
    case 'composite':
      return new CompositeEncoder(form.attributes.map(({ name, form: attribute }) => ({ name, encoder: encoderOf(attribute, policies) })));
  }
}
