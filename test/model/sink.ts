import type { World, Write } from './world.ts';

export interface Landing {
  readonly label: string;
  readonly documents: World['documents'];
}

/**
 * What a write can do when it reaches the index. External versions decide; but a tombstone may have been forgotten by then (`gc_deletes`, a restart, a relocation:
 * docs/servers.md E3), and then any version is taken.
 */
export function landings(documents: World['documents'], write: Write): Landing[] {
  const { key, version, value, gte } = write;
  const what = value === null ? `delete of ${key} at ${version}` : `${key}=${value} at ${version}`;
  const there = documents[key];
  const taken = { ...documents, [key]: { version, value } };
  if (there === undefined || version > there.version || (gte && version === there.version)) return [{ label: `${what} lands`, documents: taken }];
  const refused = { label: `${what} is refused (409)`, documents };
  return there.value === null ? [refused, { label: `the tombstone of ${key} is forgotten, ${what} lands`, documents: taken }] : [refused];
}
