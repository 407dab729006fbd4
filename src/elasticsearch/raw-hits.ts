import { Failure } from '../core/failure.ts';
import type { ScannedDocument } from '../phases/sink-ports.ts';
import { eachElement, eachMember, skipSpace, skipValue } from './json-bytes.ts';

const BACKSLASH = 0x5c;

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
  const found: HitList[] = [];
  const rest = new Map<string, unknown>();
  const end = eachMember(bytes, skipSpace(bytes, 0), (name, at) => {
    if (name !== 'hits') return readInto(rest, name, bytes, at);
    const list: HitList = { documents: [], sortStart: 0, sortEnd: 0, total: null };
    found.push(list);
    return readHitList(bytes, at, list);
  });
  const hits = found.at(-1);
  if (hits === undefined || skipSpace(bytes, end) !== bytes.length)
    throw new SyntaxError('the answer of a search has no hits, or more than one value');
  assertWhole(rest.get('_shards'), rest.get('timed_out'));
  const pitId = rest.get('pit_id');
  return {
    documents: hits.documents,
    total: hits.total,
    searchAfter: hits.sortEnd === 0 ? null : bytes.toString('utf8', hits.sortStart, hits.sortEnd),
    pitId: typeof pitId === 'string' ? pitId : null,
  };
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
  /** Where the `sort` of the last hit stands, both 0 as long as there is none: of the others nobody needs the text. */
  sortStart: number;
  sortEnd: number;
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
    if (name === '_id') id = textAt(bytes, start, end);
    else if (name === '_version') version = BigInt(bytes.toString('latin1', start, end));
    else if (name === '_routing') routing = textAt(bytes, start, end);
    else if (name === '_source') source = bytes.subarray(start, end);
    else if (name === 'sort') {
      list.sortStart = start;
      list.sortEnd = end;
    }
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

/** A string, with its quotes. Most ids have no escapes, and then it stands there as it is. */
function textAt(bytes: Buffer, start: number, end: number): string {
  for (let i = start; i < end; i++) if (bytes[i] === BACKSLASH) return jsonAt(bytes, start, end) as string;
  return bytes.toString('utf8', start + 1, end - 1);
}
