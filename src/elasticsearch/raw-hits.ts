import { Failure } from '../core/failure.ts';
import type { ScannedDocument } from '../phases/ports.ts';
import { eachElement, eachMember, skipSpace } from './json-bytes.ts';

/** One answer of a search. */
export interface HitPage {
  readonly documents: readonly ScannedDocument[];
  /** Where the next page begins: the `sort` of the last hit as JSON text, digits untouched; null on an empty page. */
  readonly searchAfter: string | null;
  /** The point in time may get a new id with every answer (facts/elasticsearch 5.4). */
  readonly pitId: string | null;
  /** Exact, if it was asked for. */
  readonly total: number | null;
}

interface Shards {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

/**
 * Slices the documents out of the answer of a `_search`; `_source` stays the bytes as stored, a view on `bytes`. Throws `sink-overloaded`
 * for a partial answer: HTTP 200 does not mean that every shard spoke (facts/elasticsearch 5.1).
 */
export function readHits(bytes: Buffer): HitPage {
  const parts = new Map<string, readonly [number, number]>();
  eachMember(bytes, skipSpace(bytes, 0), (name, start, end) => parts.set(name, [start, end]));
  assertWhole(jsonAt(bytes, parts.get('_shards')), jsonAt(bytes, parts.get('timed_out')));
  const pitId = jsonAt(bytes, parts.get('pit_id'));
  return { ...readHitList(bytes, parts.get('hits')), pitId: typeof pitId === 'string' ? pitId : null };
}

/** Throws `sink-overloaded` unless every shard answered in time. */
export function assertWhole(shards: unknown, timedOut: unknown): void {
  const { total, successful, failed } = (shards ?? {}) as Partial<Shards>;
  if (timedOut !== true && failed === 0 && total !== undefined && successful === total) return;
  throw new Failure('sink-overloaded', `only ${successful ?? 0} of ${total ?? '?'} shards answered${timedOut === true ? ' in time' : ''}`, {
    hint: 'Partial answers are never used; see GET _cluster/health and GET _cluster/allocation/explain.',
  });
}

function readHitList(bytes: Buffer, bounds: readonly [number, number] | undefined): Omit<HitPage, 'pitId'> {
  if (bounds === undefined) throw new SyntaxError('the answer of a search has no hits');
  const documents: ScannedDocument[] = [];
  let searchAfter: string | null = null;
  let total: number | null = null;
  eachMember(bytes, bounds[0], (name, start, end) => {
    if (name === 'total') total = (jsonAt(bytes, [start, end]) as { value: number }).value;
    if (name !== 'hits') return;
    eachElement(bytes, start, (hitStart) => {
      const hit = readHit(bytes, hitStart);
      documents.push(hit.document);
      searchAfter = hit.sort;
    });
  });
  return { documents, searchAfter, total };
}

function readHit(bytes: Buffer, at: number): { readonly document: ScannedDocument; readonly sort: string | null } {
  let id = '';
  let version = 0n;
  let sort: string | null = null;
  let source: Buffer | null = null;
  eachMember(bytes, at, (name, start, end) => {
    if (name === '_id') id = JSON.parse(bytes.toString('utf8', start, end)) as string;
    else if (name === '_version') version = BigInt(bytes.toString('latin1', start, end));
    else if (name === '_source') source = bytes.subarray(start, end);
    else if (name === 'sort') sort = bytes.toString('utf8', start, end);
  });
  if (source === null) throw noSource();
  return { document: { id, version, source }, sort };
}

function noSource(): Failure {
  return new Failure('sink-refused', 'the index does not keep _source, so documents cannot be compared', {
    hint: 'Remove _source.enabled: false from the mapping, or verify by counts.',
  });
}

function jsonAt(bytes: Buffer, bounds: readonly [number, number] | undefined): unknown {
  return bounds === undefined ? undefined : JSON.parse(bytes.toString('utf8', bounds[0], bounds[1]));
}
