type Parameters = { readonly [key: string]: unknown };

/**
 * The sub-fields of this mapping that have an `ignore_above` (`title.keyword`): a longer text is searched by its parent field, so that its being left
 * out there is no loss. A field of its own with `ignore_above` is not among them: what it leaves out is found by nothing.
 */
export function ignorableFields(mapping: Parameters): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [field, parameters] of Object.entries(objectAt(mapping, 'properties'))) {
    for (const [name, inner] of Object.entries(objectAt(parameters, 'fields'))) {
      if ('ignore_above' in objectAt({ inner }, 'inner')) found.add(`${field}.${name}`);
    }
  }
  return found;
}

function objectAt(value: unknown, key: string): Parameters {
  const inner = typeof value === 'object' && value !== null ? (value as Parameters)[key] : null;
  return typeof inner === 'object' && inner !== null ? (inner as Parameters) : {};
}
