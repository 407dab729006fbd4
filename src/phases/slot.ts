import { Failure, isTransient } from '../core/failure.ts';
import type { Run } from './build/run-state.ts';
import type { CreatedSlot } from './ports.ts';
import { markOwner } from './steering/steering.ts';

const POLL_MS = 50;
const ATTEMPTS = 2;

/**
 * Makes the publication (first: a change before it exists would be skipped) and the slot, and lets the load start only when everything before the consistent point is
 * visible (rule R0). Returns the consistent point. A crash in here leaves a slot without an index, which the next run drops.
 */
export async function makeSlot(run: Run): Promise<bigint> {
  const { source, names } = run;
  await source.createPublication(names.publication, run.table, run.config.id);
  await markOwner(run);
  await run.failpoint?.('publication.created');
  const consistentPoint = await createVisible(run);
  await run.failpoint?.('slot.ready');
  return consistentPoint;
}

/**
 * Without its exporting connection a slot's snapshot is gone, and nobody can say any more whether the load may start: such a slot is dropped and another one made, once. A
 * server that is away for longer ends the run with nothing made.
 */
async function createVisible(run: Run): Promise<bigint> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(run);
    } catch (error) {
      if (!isTransient(error) || attempt === ATTEMPTS || run.signal.aborted) throw error;
      await run.source.dropSlot(run.names.slot);
      run.counters.retries++;
      run.reporter.report({ type: 'retry', operation: 'slot', errorType: error.kind, attempt, delayMs: 0 });
    }
  }
}

async function createOnce(run: Run): Promise<bigint> {
  const { source, names, options, signal } = run;
  const slot = await source.createSlot({ name: names.slot, temporary: false, timeoutMs: options.slotTimeoutMs, signal });
  try {
    await run.failpoint?.('slot.created');
    await waitUntilVisible(run, slot);
  } finally {
    await slot.release();
  }
  return slot.consistentPoint;
}

/**
 * Rule R0: a commit is in the WAL before other sessions see it. A transaction that committed before the consistent point but is not visible yet is in neither a fresh
 * snapshot nor the stream: lost. So wait until every xid the exported snapshot sees is visible in a fresh one.
 */
async function waitUntilVisible(run: Run, slot: CreatedSlot): Promise<void> {
  const startedAt = run.clock.now();
  for (;;) {
    const missing = await run.source.notYetVisible(slot.snapshotName);
    if (missing.length === 0) {
      run.counters.throttle = '';
      return;
    }
    if (run.clock.now() - startedAt > run.options.slotTimeoutMs) throw notVisible(missing);
    run.counters.throttle = `postgres: ${missing.length} commits wait for a synchronous standby`;
    await run.clock.sleep(POLL_MS, run.signal);
  }
}

function notVisible(missing: readonly bigint[]): Failure {
  return new Failure(
    'slot-timeout',
    `transactions ${missing.slice(0, 5).join(', ')} are committed in the WAL but not visible yet; the load cannot start`,
    {
      hint: 'A synchronous standby does not answer (synchronous_standby_names). Run the same command again when it does, or with a longer --slot-timeout.',
    },
  );
}
