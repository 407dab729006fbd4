import type { AuditDifference, RepairReport } from '../core/audit-report.ts';
import type { Reporter } from '../core/events.ts';
import type { Hash64 } from '../core/verify/checksum.ts';
import type { RepairDoor } from './audit-ports.ts';
import { closingAfter } from './flow/closing-after.ts';
import { proposeWrites, type RepairScope } from './repair/propose.ts';
import { sendWrites } from './repair/send.ts';
import { RepairTally } from './repair/tally.ts';
import { withRepairDoor } from './repair/with-door.ts';
import type { Sink } from './sink-ports.ts';
import type { VerifyContext } from './verify/comparison.ts';
import type { Judgement } from './verify/judge.ts';
import { judgeIds } from './verify/judge-ids.ts';

/**
 * Mends drift beside whoever else writes. For each key, in this order: the document's sequence number is read, then the row, then the document is written on
 * condition that its sequence number is still the same. So whatever is written to the document after the first read wins over the repair, which is then tried anew.
 *
 * Why this never beats a later change of realign's own replay, which writes with version = commit LSN (rule R1). The conditional write gives the document the
 * version after its present one, v + 1. If v is ours it is a commit LSN (or CP − 1), every change of this row that is not in the document yet has a later commit,
 * and LSNs are multiples of 8: its version is at least v + 8 > v + 1 (docs/servers.md E2), so it is accepted when it comes, in whatever state the
 * repair read the row. A version taken from the log's position would not have this property: a commit can be in the log and not yet visible to the
 * read (rule R0), and its change would then be refused for ever. A missing document is written as the load writes, with CP − 1, which loses against any
 * streamed change and against the tombstone of any streamed delete. If that is refused, a tombstone of somebody else's delete is in the way: the next round
 * creates the document without a version, and looks whether its row is still there after that.
 */
export interface RepairRequest {
  readonly context: VerifyContext;
  readonly differences: readonly AuditDifference[];
  readonly hash: Hash64;
  readonly sink: Sink;
  readonly uuid: string;
  /** Random: names this repair's alias. */
  readonly run: string;
  /** Null for an index of others. */
  readonly cp: bigint | null;
  readonly reporter: Reporter;
  /** Shows what would be written; writes nothing. */
  readonly dryRun: boolean;
  /** More differences than this: none is repaired. */
  readonly limit: number;
  /** The index requires a routing that the config does not name. */
  readonly placeless: boolean;
}

const ROUNDS = 4;
const KEYS_PER_ROUND = 200;

/** Repairs at most `limit` differences and proves each by reading both sides again; says why of those it does not. */
export async function repairDrift(request: RepairRequest): Promise<RepairReport> {
  const { differences, limit, dryRun, context, placeless } = request;
  const tally = new RepairTally(dryRun);
  if (placeless) return tally.refuseAll(differences, 'the index requires a routing, and the config names no column for it').report();
  if (differences.length > limit) {
    tellTooMany(request);
    return tally.refuseAll(differences, `more than ${limit} differences (--max-repair)`).report();
  }
  if (differences.length === 0) return tally.report();
  const ids = differences.map(({ id }) => id);
  if (dryRun) await inBatches(ids, (batch) => rehearse(request, batch, tally));
  else {
    const { sink, uuid, run } = request;
    await withRepairDoor({ source: context.source, sink, index: context.index, uuid, run }, (door) =>
      inBatches(ids, (batch) => repairBatch(request, door, batch, tally)),
    );
  }
  return tally.report();
}

async function inBatches(ids: readonly string[], work: (batch: readonly string[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < ids.length; at += KEYS_PER_ROUND) await work(ids.slice(at, at + KEYS_PER_ROUND));
}

/** Judge, write, judge again, until every key is proved or the rounds are over. */
async function repairBatch(request: RepairRequest, door: RepairDoor, ids: readonly string[], tally: RepairTally): Promise<void> {
  let open = ids;
  for (let round = 0; round <= ROUNDS && open.length > 0; round++) {
    const judged = await lookAgain(request, open);
    tally.equal(judged.filter(({ difference }) => difference === null).map(({ id }) => id));
    const differing = judged.filter(({ difference }) => difference !== null);
    open = differing.map(({ id }) => id);
    if (round === ROUNDS) break;
    const operations = await proposeWrites(scopeOf(request, door, round), differing, tally);
    await sendWrites(request.context, door, operations, tally);
    open = open.filter((id) => !tally.isRefused(id));
  }
  tally.refuse(open, 'it went on changing, or its writes were refused');
}

async function rehearse(request: RepairRequest, ids: readonly string[], tally: RepairTally): Promise<void> {
  const judged = await lookAgain(request, ids);
  tally.equal(judged.filter(({ difference }) => difference === null).map(({ id }) => id));
  const differing = judged.filter(({ difference }) => difference !== null);
  const operations = await proposeWrites(scopeOf(request, null, 0), differing, tally);
  for (const operation of operations) tally.done(operation);
}

function scopeOf({ context, cp }: RepairRequest, door: RepairDoor | null, round: number): RepairScope {
  return { context, cp, door, afterTombstone: round > 0 };
}

/** On the path that shares nothing with the encoder, so that a repair is not proved by what wrote it. */
async function lookAgain({ context, hash }: RepairRequest, ids: readonly string[]): Promise<readonly Judgement[]> {
  const { sink, source, replay, index, rejectedIds } = context;
  await replay.waitUntilApplied(await source.insertLsn());
  await sink.refresh(index);
  const frozen = await sink.freeze(index);
  return closingAfter(
    () => frozen.close(),
    () => judgeIds({ context, frozen, snapshotName: null, rejected: rejectedIds, hash }, ids),
  );
}

function tellTooMany({ differences, limit, reporter }: RepairRequest): void {
  reporter.report({
    type: 'warning',
    code: 'repair-limit',
    message: `${differences.length} differences are more than --max-repair ${limit}: nothing was repaired`,
    hint: 'Look for the cause first; `realign rebuild` replaces the whole index. To repair all the same give a higher --max-repair.',
  });
}
