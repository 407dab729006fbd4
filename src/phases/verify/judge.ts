import { ByteWriter } from '../../core/encode/byte-writer.ts';
import { DocumentEncoder } from '../../core/encode/document.ts';
import type { Difference } from '../../core/events.ts';
import { rowFromTexts } from '../../core/row.ts';
import type { Column } from '../../core/table.ts';
import type { Hash64 } from '../../core/verify/checksum.ts';
import { documentDifference } from '../../core/verify/difference-ledger.ts';
import { compareReference } from '../../core/verify/reference-compare.ts';
import type { ReferenceRequest, ReferenceRow } from '../ports.ts';
import type { FrozenIndex, ScannedDocument } from '../sink-ports.ts';
import type { BatchSize } from './batch-size.ts';
import { misplacement, type VerifyContext } from './comparison.ts';
import { keyPlan } from './scan-source.ts';

/** The two moments that are compared: the table under a snapshot (null = as it is now) and a frozen index. */
export interface JudgeScope {
  readonly context: VerifyContext;
  readonly frozen: FrozenIndex;
  readonly snapshotName: string | null;
  readonly rejected: ReadonlySet<string>;
  readonly hash: Hash64;
  /** Told how wide the rows are that were read. */
  readonly batch?: BatchSize;
}

export interface Judgement {
  readonly id: string;
  readonly key: readonly string[] | null;
  readonly difference: Difference | null;
  /** Of the documents with this id; null for one without. */
  readonly routings: readonly (string | null)[];
  /** Stays the same only if neither side changed. */
  readonly state: string;
}

type KeysById = ReadonlyMap<string, readonly string[]>;

/** Compares the rows with these keys (at most 1,000), read as PostgreSQL's own JSON, with their documents; a key without a row must have no document. */
export async function judgeKeys(scope: JudgeScope, keys: readonly (readonly string[])[]): Promise<readonly Judgement[]> {
  const { source, table } = scope.context;
  const byId = keysById(scope.context, keys);
  if (byId.size === 0) return [];
  const rows = await source.readReference({
    table,
    ...referenceShape(scope.context),
    snapshotName: scope.snapshotName,
    rows: { keys: [...byId.values()] },
  });
  scope.batch?.learn(rows);
  return judgeRows(scope, byId, rowsById(scope.context, rows));
}

/** Ids that are no key of the table: a document with such an id is extra. */
export async function judgeForeign(scope: JudgeScope, ids: readonly string[]): Promise<readonly Judgement[]> {
  const stored = await documentsById(scope.frozen, ids);
  return ids.map((id) => judgeOne(scope, { id, key: null }, undefined, stored.get(id) ?? []));
}

/** Which fields and key columns a reference row has, and which rows there are. */
export function referenceShape(context: VerifyContext): Pick<ReferenceRequest, 'fields' | 'key' | 'where'> {
  const { plan } = context;
  return {
    fields: plan.fields.map(({ field, column }) => ({ field, column: plan.columns[column] as Column })),
    key: keyPlan(plan).columns,
    where: plan.where,
  };
}

async function judgeRows(scope: JudgeScope, byId: KeysById, rows: ReadonlyMap<string, ReferenceRow>): Promise<readonly Judgement[]> {
  const stored = await documentsById(scope.frozen, [...byId.keys()]);
  const judged = [...byId].map(([id, key]) => judgeOne(scope, { id, key }, rows.get(id), stored.get(id) ?? []));
  const missing = judged.filter(({ difference }) => difference?.kind === 'missing');
  if (missing.length === 0) return judged;
  const unencodable = await rejectedByEncoder(scope, missing);
  return judged.map((judgement) => (unencodable.has(judgement.id) ? { ...judgement, difference: null } : judgement));
}

function judgeOne(
  scope: JudgeScope,
  { id, key }: { readonly id: string; readonly key: readonly string[] | null },
  row: ReferenceRow | undefined,
  documents: readonly ScannedDocument[],
): Judgement {
  const versions = documents.map(({ version, routing }) => (routing === undefined ? version : `${version}@${routing}`)).join(',');
  const state = `${row === undefined ? 'none' : scope.hash.h64Raw(Buffer.from(row.json))}/${versions || 'none'}`;
  const difference = differenceOf(scope, id, row, documents);
  const routings = documents.map(({ routing }) => routing ?? null);
  return { id, key, routings, state, difference: difference === null ? null : withVersion(difference, documents) };
}

function withVersion(difference: Difference, documents: readonly ScannedDocument[]): Difference {
  const [document] = documents;
  if (document === undefined) return difference;
  return { ...difference, version: String(document.version), ...(documents.length > 1 ? { copies: documents.length } : {}) };
}

/** Several documents have one id if somebody wrote it with a routing: then at most one of them is right, and the others are extra. */
function differenceOf(scope: JudgeScope, id: string, row: ReferenceRow | undefined, documents: readonly ScannedDocument[]): Difference | null {
  const [document] = documents;
  if (documents.length > 1) return documentDifference(id, 'extra');
  if (row === undefined) return document === undefined ? null : documentDifference(id, 'extra');
  if (document === undefined) return scope.rejected.has(id) ? null : documentDifference(id, 'missing');
  const { plan, audit } = scope.context;
  const values = compareReference(plan, row.json, document.source, audit?.wholeValues === true ? 'whole' : 'excerpts');
  const fields = [...values, ...misplacement(scope.context, row.key, document)];
  return fields.length === 0 ? null : documentDifference(id, 'different', fields);
}

/** Which of the missing documents cannot exist, because their rows cannot be encoded (an audit has no list of rejected rows). */
async function rejectedByEncoder(scope: JudgeScope, missing: readonly Judgement[]): Promise<ReadonlySet<string>> {
  const { source, table, plan } = scope.context;
  const keys = missing.flatMap(({ key }) => (key === null ? [] : [key]));
  const moment = scope.snapshotName === null ? {} : { snapshotName: scope.snapshotName };
  const { rows } = await source.lookup({ table, columns: plan.columns, key: keyPlan(plan).columns, keys, where: plan.where, ...moment });
  const encoder = new DocumentEncoder(plan);
  const writer = new ByteWriter(1024);
  const found = new Set<string>();
  for (const row of rows) {
    writer.reset();
    const id = encoder.id(row);
    if (Buffer.isBuffer(id) && encoder.encode(row, writer) !== undefined) found.add(id.toString('utf8'));
  }
  return found;
}

async function documentsById(frozen: FrozenIndex, ids: readonly string[]): Promise<ReadonlyMap<string, readonly ScannedDocument[]>> {
  if (ids.length === 0) return new Map();
  const found = new Map<string, ScannedDocument[]>();
  for (const document of await frozen.byIds(ids)) found.set(document.id, [...(found.get(document.id) ?? []), document]);
  return found;
}

function rowsById(context: VerifyContext, rows: readonly ReferenceRow[]): ReadonlyMap<string, ReferenceRow> {
  const idOf = keyEncoder(context);
  return new Map(rows.flatMap((row) => withId(idOf(row.key), row)));
}

/** Each id once, with its key; a key that can have no id belongs to a rejected row. */
function keysById(context: VerifyContext, keys: readonly (readonly string[])[]): KeysById {
  const idOf = keyEncoder(context);
  return new Map(keys.flatMap((key) => withId(idOf(key), key)));
}

function withId<T>(id: string | null, value: T): readonly (readonly [string, T])[] {
  return id === null ? [] : [[id, value]];
}

function keyEncoder(context: VerifyContext): (key: readonly string[]) => string | null {
  const encoder = new DocumentEncoder(keyPlan(context.plan));
  return (key) => {
    const id = encoder.id(rowFromTexts(key));
    return Buffer.isBuffer(id) ? id.toString('utf8') : null;
  };
}
