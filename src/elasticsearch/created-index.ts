import { isDeepStrictEqual } from 'node:util';

export type Mapping = { readonly [key: string]: unknown };

/**
 * What the mapping of a fresh index has that was not asked for, or lacks that was: a matching template merges its own into ours
 * (docs/servers.md E26). Fields are compared by path and type, since the server fills in and leaves out defaults of the other parameters.
 */
export function mappingDifferences(asked: Mapping, found: Mapping): readonly string[] {
  return [...fieldDifferences(typesOf(asked), typesOf(found)), ...rootDifferences(asked, found)];
}

function fieldDifferences(asked: ReadonlyMap<string, string>, found: ReadonlyMap<string, string>): readonly string[] {
  const differences: string[] = [];
  for (const [path, type] of asked) {
    const actual = found.get(path);
    if (actual !== type) differences.push(`field ${path} is ${actual ?? 'missing'} in place of ${type}`);
  }
  for (const path of found.keys()) if (!asked.has(path)) differences.push(`field ${path} was added`);
  return differences;
}

/** `_meta` is ours; `properties` were compared by path. */
function rootDifferences(asked: Mapping, found: Mapping): readonly string[] {
  const names = new Set([...Object.keys(asked), ...Object.keys(found)]);
  names.delete('properties');
  names.delete('_meta');
  return [...names].filter((name) => !sameRoot(name, asked[name], found[name])).map((name) => `${name} is not what was asked`);
}

/** An empty list or object and the default are left out by the server; scripts of runtime fields get their language added. */
function sameRoot(name: string, asked: unknown, found: unknown): boolean {
  if (found === undefined) return true;
  if (name === 'runtime') return isDeepStrictEqual(Object.keys(asked ?? {}).sort(), Object.keys(found ?? {}).sort());
  if (typeof found === 'object') return isDeepStrictEqual(asked, found);
  return String(asked) === String(found);
}

/** Every leaf field by dotted path, multi-fields as `path#name`; `{"a.b": …}` and `{a: {properties: {b: …}}}` are the same. */
function typesOf(mapping: Mapping): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  collect(types, '', mapping);
  return types;
}

function collect(types: Map<string, string>, path: string, field: Mapping): void {
  const properties = field.properties as { readonly [name: string]: Mapping } | undefined;
  const nested = field.type === 'nested';
  if (path !== '' && (properties === undefined || nested)) types.set(path, String(field.type ?? 'object'));
  for (const [name, member] of Object.entries(properties ?? {})) collect(types, path === '' ? name : `${path}.${name}`, member);
  for (const [name, member] of Object.entries((field.fields as { readonly [name: string]: Mapping } | undefined) ?? {})) {
    types.set(`${path}#${name}`, String(member.type));
  }
}
