import { ByteWriter } from '../../core/encode/byte-writer.ts';
import { DocumentEncoder } from '../../core/encode/document.ts';
import { routingOfKey } from '../../core/encode/routing.ts';
import type { RepairCondition, RepairOperation } from '../../core/sink/repair-body.ts';
import { keyOfId } from '../../core/verify/key-of-id.ts';
import type { CurrentDocument, DocumentName, RepairDoor } from '../audit-ports.ts';
import type { VerifyContext } from '../verify/comparison.ts';
import type { Judgement } from '../verify/judge.ts';
import { keyPlan } from '../verify/scan-source.ts';
import type { RepairTally } from './tally.ts';

export interface RepairScope {
  readonly context: VerifyContext;
  readonly cp: bigint | null;
  /** Null in a dry run: nothing will be written, so no sequence numbers are needed. */
  readonly door: RepairDoor | null;
  /** Not the first try: a missing document of ours is then created whatever tombstone there is. */
  readonly afterTombstone: boolean;
}

/** The writes that make these documents what their rows are now. Reads the documents first, then the rows (see repair.ts for why). */
export async function proposeWrites(scope: RepairScope, differing: readonly Judgement[], tally: RepairTally): Promise<readonly RepairOperation[]> {
  const { plan } = scope.context;
  const hashed = differing.filter(({ id, key }) => key === null && keyOfId(plan, id).kind === 'hashed').map(({ id }) => id);
  tally.refuse(hashed, 'its id is a hash, so whether it has a row cannot be asked');
  const known = differing.filter(({ id }) => !tally.isRefused(id));
  const current = await currentDocuments(scope, known);
  const rows = await encodeRows(scope, known, tally);
  return known.flatMap((judgement) => writesFor(scope, judgement, current, rows)).filter(({ id }) => !tally.isRefused(id));
}

type Current = ReadonlyMap<string, readonly CurrentDocument[]>;

/** A document with a routing cannot be read or deleted without it: asked for where it was seen, and where it belongs. */
async function currentDocuments(scope: RepairScope, judgements: readonly Judgement[]): Promise<Current> {
  const names: DocumentName[] = [];
  for (const judgement of judgements) {
    const { id, routings } = judgement;
    for (const routing of new Set([placeOf(scope, judgement), ...routings])) names.push({ id, routing });
  }
  const found = new Map<string, CurrentDocument[]>();
  for (const document of (await scope.door?.read(names)) ?? []) {
    const known = found.get(document.id) ?? [];
    // Routings of one shard all find the one document that it has of an id.
    if (!known.some(({ routing }) => routing === document.routing)) found.set(document.id, [...known, document]);
  }
  return found;
}

/** The rows' documents by id. A row that cannot be a document is refused: the repair does not decide what to leave out. */
async function encodeRows({ context }: RepairScope, judgements: readonly Judgement[], tally: RepairTally): Promise<ReadonlyMap<string, Buffer>> {
  const { source, table, plan } = context;
  const keys = judgements.flatMap(({ key }) => (key === null ? [] : [key]));
  const encoded = new Map<string, Buffer>();
  if (keys.length === 0) return encoded;
  const { rows } = await source.lookup({ table, columns: plan.columns, key: keyPlan(plan).columns, keys, where: plan.where });
  const encoder = new DocumentEncoder(plan);
  const writer = new ByteWriter(4096);
  for (const row of rows) {
    writer.reset();
    const id = encoder.id(row);
    if (!Buffer.isBuffer(id)) continue;
    const rejection = encoder.encode(row, writer);
    if (rejection !== undefined) tally.refuse([id.toString('utf8')], `column ${rejection.column}: ${rejection.reason}`);
    else encoded.set(id.toString('utf8'), Buffer.from(writer.view()));
  }
  return encoded;
}

function writesFor(scope: RepairScope, judgement: Judgement, current: Current, rows: ReadonlyMap<string, Buffer>): readonly RepairOperation[] {
  const { id, routings, difference } = judgement;
  const routing = placeOf(scope, judgement);
  const document = rows.get(id) ?? null;
  if (scope.door === null)
    return [{ id, routing, document: routings.length > 0 && difference?.kind === 'extra' ? null : document, condition: ABSENT }];
  const copies = current.get(id) ?? [];
  const proper = copies.find((copy) => copy.routing === routing);
  // A document under another routing is not where its readers and writers look for it.
  const misplaced = copies.filter((copy) => copy !== proper);
  const removals = misplaced.map((copy): RepairOperation => ({ id, routing: copy.routing, document: null, condition: unchanged(copy) }));
  if (proper !== undefined && isThere(proper, document)) return removals;
  if (proper !== undefined) return [...removals, { id, routing, document, condition: unchanged(proper) }];
  return document === null ? removals : [...removals, { id, routing, document, condition: conditionToCreate(scope) }];
}

/** The routing under which the document of this key belongs; null without one. Others may have routed theirs as they like, where the config says nothing of it. */
function placeOf({ context }: RepairScope, { key, routings }: Judgement): string | null {
  const [only = null] = routings.length === 1 ? routings : [];
  if (context.anyRouting === true) return only;
  return key === null ? null : (routingOfKey(context.plan, key) ?? null);
}

const ABSENT: RepairCondition = { kind: 'absent' };

function isThere({ source }: CurrentDocument, document: Buffer | null): boolean {
  return document !== null && source.equals(document);
}

function unchanged({ seqNo, primaryTerm }: CurrentDocument): RepairCondition {
  return { kind: 'unchanged', seqNo, primaryTerm };
}

function conditionToCreate({ cp, afterTombstone }: RepairScope): RepairCondition {
  return cp === null || afterTombstone ? ABSENT : { kind: 'version', version: cp - 1n };
}
