import { createHash } from 'node:crypto';
import type { PgType } from '../core/encode/value-form.ts';
import type { Relation } from './catalog.ts';
import type { TextRow } from './connect.ts';

export interface FingerprintInput {
  readonly relation: Relation;
  /** name, attnum, type, typmod, attnotnull, generated of each column */
  readonly columns: readonly TextRow[];
  readonly types: ReadonlyMap<number, PgType>;
  readonly enumLabels: string;
  readonly key: readonly string[];
  /** oid, kind, persistence, identity of each leaf */
  readonly leaves: readonly TextRow[];
}

/**
 * A hash over everything whose change sends no row message, or would make the stream incomplete (docs/servers.md P23 to P25). Not in it:
 * relfilenodes, compared apart because VACUUM FULL is allowed; and `attmissingval`, which VACUUM FULL clears and which cannot appear on
 * a column without a new attnum.
 */
export function fingerprintOf(input: FingerprintInput): string {
  const { oid, schema, name, kind, persistence, identity, identityIndexOid } = input.relation;
  const types = [...input.types.values()].sort((a, b) => a.oid - b.oid);
  const facts = [
    [oid, schema, name, kind, persistence, identity, identityIndexOid],
    input.columns.map((row) => [row.attnum, row.name, row.type, row.typmod, row.generated, row.attnotnull]),
    types.map((type) => [type.oid, type.kind, type.elementOid, type.baseOid, type.subtypeOid, type.attributes]),
    input.enumLabels,
    input.key,
    input.leaves.map((row) => [row.oid, row.kind, row.persistence, row.identity]),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32);
}
