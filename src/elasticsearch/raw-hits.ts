import { Failure } from '../core/failure.ts';
import type { ScannedDocument } from '../phases/sink-ports.ts';
import { eachElement, eachMember, skipSpace, skipValue } from './json-bytes.ts';

/** One answer of a search. */
export interface HitPage {
  readonly documents: readonly ScannedDocument[];
  /** Where the next page begins: the `sort` of the last hit as JSON text, digits untouched; null on an empty page. */
  readonly searchAfter: string | null;
  /** The point in time may get a new id with every answer (docs/servers.md E29). */
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
 * for a partial answer: HTTP 200 does not mean that every shard spoke (docs/servers.md E28).
 */
export function readHits(bytes: Buffer): HitPage {
  let hits: HitList | null = null;
  const rest = new Map<string, unknown>();
  const end = eachMember(bytes, skipSpace(bytes, 0), (name, at) => {
    if (name !== 'hits') return readInto(rest, name, bytes, at);
    hits = { documents: [], searchAfter: null, total: null };
    return readHitList(bytes, at, hits);
  });
  if (hits === null || skipSpace(bytes, end) !== bytes.length) throw new SyntaxError('the answer of a search has no hits, or more than one value');
  assertWhole(rest.get('_shards'), rest.get('timed_out'));
  const pitId = rest.get('pit_id');
  return { ...(hits as HitList), pitId: typeof pitId === 'string' ? pitId : null };
}

/** Throws `sink-overloaded` unless every shard answered in time. */
export function assertWhole(shards: unknown, timedOut: unknown): void {
  const { total, successful, failed } = (shards ?? {}) as Partial<Shards>;
  if (timedOut !== true && failed === 0 && total !== undefined && successful === total) return;
  throw new Failure('sink-overloaded', `only ${successful ?? 0} of ${total ?? '?'} shards answered${timedOut === true ? ' in time' : ''}`, {
    hint: 'Partial answers are never used; see GET _cluster/health and GET _cluster/allocation/explain.',
  });
}

interface HitList {
  readonly documents: ScannedDocument[];
  searchAfter: string | null;
  total: number | null;
}

function readHitList(bytes: Buffer, at: number, list: HitList): number {
  return eachMember(bytes, at, (name, valueAt) => {
    if (name === 'hits') return eachElement(bytes, valueAt, (hitAt) => readHit(bytes, hitAt, list));
    const end = skipValue(bytes, valueAt);
    if (name === 'total') list.total = (jsonAt(bytes, valueAt, end) as { value: number }).value;
    return end;
  });
}

function readHit(bytes: Buffer, at: number, list: HitList): number {
  let id = '';
  let version = 0n;
  let source: Buffer | null = null;
  let routing: string | null = null;
  const hitEnd = eachMember(bytes, at, (name, start) => {
    const end = skipValue(bytes, start);
    if (name === '_id') id = jsonAt(bytes, start, end) as string;
    else if (name === '_version') version = BigInt(bytes.toString('latin1', start, end));
    else if (name === '_routing') routing = jsonAt(bytes, start, end) as string;
    else if (name === '_source') source = bytes.subarray(start, end);
    else if (name === 'sort') list.searchAfter = bytes.toString('utf8', start, end);
    return end;
  });
  if (source === null) throw noSource();
  list.documents.push({ id, version, source, ...(routing === null ? {} : { routing }) });
  return hitEnd;
}

function readInto(members: Map<string, unknown>, name: string, bytes: Buffer, at: number): number {
  const end = skipValue(bytes, at);
  members.set(name, jsonAt(bytes, at, end));
  return end;
}

function noSource(): Failure {
  return new Failure('sink-refused', 'the index does not keep _source, so documents cannot be compared', {
    hint: 'Remove _source.enabled: false from the mapping, or verify by counts.',
  });
}

function jsonAt(bytes: Buffer, start: number, end: number): unknown {
  return JSON.parse(bytes.toString('utf8', start, end));
}
