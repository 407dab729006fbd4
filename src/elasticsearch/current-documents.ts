import { Failure } from '../core/failure.ts';
import type { CurrentDocument, DocumentName } from '../phases/audit-ports.ts';
import type { Http } from './connect.ts';
import { failureOf, serverError } from './error-kinds.ts';
import { eachElement, eachMember, skipSpace, skipValue } from './json-bytes.ts';

/**
 * The documents as they are this moment (not as of the last refresh), with the sequence number that a conditional write needs. By `_mget`, never by path:
 * an id may be `..` (docs/servers.md E10). Those that do not exist are left out; so is one asked for without a routing where the index requires it.
 */
export async function readCurrent(http: Http, index: string, names: readonly DocumentName[]): Promise<readonly CurrentDocument[]> {
  if (names.length === 0) return [];
  const what = `reading documents of ${index}`;
  const docs = names.map(({ id, routing }) => ({ _id: id, ...(routing === null ? {} : { routing }) }));
  const answer = await http.send({ what, method: 'POST', path: `/${encodeURIComponent(index)}/_mget`, body: { docs } });
  const body = answer.body ?? Buffer.alloc(0);
  if (answer.status >= 300) throw failureOf(serverError(answer.status, body.toString('utf8')), what, false);
  return readDocuments(body, what);
}

function readDocuments(bytes: Buffer, what: string): readonly CurrentDocument[] {
  const found: CurrentDocument[] = [];
  eachMember(bytes, skipSpace(bytes, 0), (name, at) => {
    if (name !== 'docs') return skipValue(bytes, at);
    return eachElement(bytes, at, (docAt) => readDocument(bytes, docAt, what, found));
  });
  return found;
}

function readDocument(bytes: Buffer, at: number, what: string, found: CurrentDocument[]): number {
  const members = new Map<string, Buffer>();
  const end = eachMember(bytes, at, (name, start) => {
    const valueEnd = skipValue(bytes, start);
    members.set(name, bytes.subarray(start, valueEnd));
    return valueEnd;
  });
  if (!members.has('found') && errorTypeOf(members) === 'routing_missing_exception') return end;
  if (!members.has('found')) {
    throw new Failure('sink-overloaded', `${what} failed for some of them`, { hint: 'A shard may be missing; see GET _cluster/health.' });
  }
  const source = members.get('_source');
  if (members.get('found')?.toString() === 'true' && source !== undefined) found.push(documentOf(members, source));
  return end;
}

function errorTypeOf(members: ReadonlyMap<string, Buffer>): unknown {
  const error: unknown = JSON.parse(members.get('error')?.toString('utf8') ?? 'null');
  return (error as { readonly type?: unknown } | null)?.type;
}

function documentOf(members: ReadonlyMap<string, Buffer>, source: Buffer): CurrentDocument {
  const number = (name: string): bigint => BigInt(members.get(name)?.toString('latin1') ?? '');
  const routing = members.get('_routing');
  return {
    id: JSON.parse(members.get('_id')?.toString('utf8') ?? '""'),
    routing: routing === undefined ? null : JSON.parse(routing.toString('utf8')),
    version: number('_version'),
    seqNo: number('_seq_no'),
    primaryTerm: number('_primary_term'),
    source,
  };
}
