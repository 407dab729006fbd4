import type { MappingDifference } from '../audit-report.ts';
import type { DocumentField } from '../encode/document-plan.ts';

type Parameters = { readonly [key: string]: unknown };

/** The document's fields that the index maps as another type than planned, or not at all: values are then found by other searches than they should be. */
export function fieldTypeDifferences(
  fields: readonly Pick<DocumentField, 'field'>[],
  planned: Parameters,
  actual: Parameters,
): readonly MappingDifference[] {
  const found: MappingDifference[] = [];
  for (const { field } of fields) {
    const expected = typeAt(planned, field);
    const live = typeAt(actual, field);
    if (expected !== live) found.push({ field, expected, actual: live });
  }
  return found;
}

/** An object field has no `type` of its own; a name with dots may be mapped as objects in objects. */
function typeAt(mapping: Parameters, field: string): string {
  const properties = objectOf(mapping.properties);
  const whole = Object.hasOwn(properties, field) ? objectOf(properties[field]) : null;
  if (whole !== null) return typeof whole.type === 'string' ? whole.type : 'object';
  const dot = field.indexOf('.');
  const outer = dot < 0 ? null : objectOf(properties[field.slice(0, dot)]);
  return outer === null ? '(none)' : typeAt(outer, field.slice(dot + 1));
}

function objectOf(value: unknown): Parameters {
  return typeof value === 'object' && value !== null ? (value as Parameters) : {};
}
