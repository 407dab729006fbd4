import { Failure } from '../../core/failure.ts';
import { batches } from '../flow/batches.ts';
import { closingAfter } from '../flow/closing-after.ts';
import type { CreatedSlot } from '../ports.ts';
import type { FrozenIndex } from '../sink-ports.ts';
import type { Comparison, VerifyContext } from './comparison.ts';

const MAX_SLOT_NAME = 63;
/** A point in time lives for minutes after its last use; a pass over a large table takes hours. */
const TOUCH_EVERY_MS = 60_000;

/**
 * Freezes both sides at one LSN: the consistent point of a temporary slot. Null if no slot can be had (none is free, or an old transaction does not end
 * within `slotTimeoutMs`). The replay is held only until the index is frozen; it runs during the comparison.
 */
export async function freezeAtFence(context: VerifyContext): Promise<Comparison | null> {
  // Held first: otherwise it has passed the fence before the fence is known.
  await context.replay.hold();
  try {
    const slot = await createFenceSlot(context);
    await context.failpoint?.('verify.held');
    return slot === null ? null : await freezeBoth(context, slot);
  } finally {
    context.replay.release();
  }
}

/** Freezes the table at a snapshot of its own, then the index once everything that this snapshot shows is applied. */
export async function freezeForSettling(context: VerifyContext): Promise<Comparison> {
  const { source, replay } = context;
  const kept = await source.keepSnapshot(null);
  return releasingOnFailure(kept, async () => {
    const lsn = await source.insertLsn();
    await replay.waitUntilApplied(lsn);
    return freezeIndex(context, { method: 'settling', fenceLsn: lsn, ...kept });
  });
}

async function createFenceSlot(context: VerifyContext): Promise<CreatedSlot | null> {
  const { source, slotName, slotTimeoutMs, signal } = context;
  try {
    return await source.createSlot({
      name: `${slotName.slice(0, MAX_SLOT_NAME - '_fence'.length)}_fence`,
      temporary: true,
      timeoutMs: slotTimeoutMs,
      signal,
    });
  } catch (error) {
    if (!isWithoutSlot(error)) throw error;
    const reason = error instanceof Error ? error.message : 'no slot';
    context.reporter.report({
      type: 'warning',
      code: 'fence-unavailable',
      message: `no temporary slot for an exact fence (${reason}); comparing by settling instead`,
      hint: 'Free a replication slot and a walsender, or end old writing transactions, for an exact comparison.',
    });
    return null;
  }
}

function isWithoutSlot(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'slot-timeout' || error.kind === 'no-free-slot');
}

async function freezeBoth(context: VerifyContext, slot: CreatedSlot): Promise<Comparison> {
  // The slot itself is only needed for its point and its snapshot; it would retain WAL during the whole comparison.
  const kept = await closingAfter(
    () => slot.release(),
    () => context.source.keepSnapshot(slot.snapshotName),
  );
  return releasingOnFailure(kept, async () => {
    await context.replay.runTo(slot.consistentPoint, kept.snapshotName);
    return freezeIndex(context, { method: 'fence', fenceLsn: slot.consistentPoint, ...kept });
  });
}

interface Moment {
  readonly method: Comparison['method'];
  readonly fenceLsn: bigint;
  readonly snapshotName: string;
  release(): Promise<void>;
}

async function freezeIndex(context: VerifyContext, moment: Moment): Promise<Comparison> {
  const { sink, index } = context;
  // A copy: the replay mends and adds entries as soon as it runs again.
  const rejectedIds = [...context.rejectedIds];
  await sink.refresh(index);
  const frozen = await sink.freeze(index);
  await context.failpoint?.('verify.frozen');
  const rejected = await failingClosed(frozen, () => withoutDocument(frozen, rejectedIds));
  const close = () => closingAfter(moment.release, () => frozen.close());
  const { method, fenceLsn, snapshotName } = moment;
  return { context, method, fenceLsn, snapshotName, frozen, rejected, touchFrozen: toucher(context, frozen), close };
}

function toucher({ clock }: VerifyContext, frozen: FrozenIndex): () => Promise<void> {
  let touchedAt = clock.now();
  return async () => {
    if (clock.now() - touchedAt < TOUCH_EVERY_MS) return;
    touchedAt = clock.now();
    await frozen.count();
  };
}

/**
 * The ids among `ids` that are not in the index. A rejected row may have an older document (its newer state was refused): that one is compared and
 * differs, or a later change was accepted and it is equal.
 */
async function withoutDocument(frozen: FrozenIndex, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const absent = new Set(ids);
  for (const batch of batches(ids)) {
    for (const { id } of await frozen.byIds(batch)) absent.delete(id);
  }
  return absent;
}

/** The failure of `work` is the one that counts; one of the release is often only its echo, and what is not released ends with its session. */
async function releasingOnFailure<T>(kept: { release(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await kept.release().catch(() => undefined);
    throw error;
  }
}

async function failingClosed<T>(frozen: FrozenIndex, work: () => Promise<T>): Promise<T> {
  return releasingOnFailure({ release: () => frozen.close() }, work);
}
