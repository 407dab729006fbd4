import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../core/failure.ts';
import { parseLsn } from '../core/lsn.ts';
import type { CreatedSlot } from '../phases/ports.ts';
import { describeBlockers } from './blockers.ts';
import { connect, destroySession, endSession, type PostgresConfig, query, type Session, type TextRow, textOf } from './connect.ts';
import { poll } from './deadline.ts';
import { inRecovery } from './insert-lsn.ts';
import { quoteIdentifier } from './quote.ts';
import type { SessionPool } from './session-pool.ts';
import { dropSlot, readSlot } from './slot-state.ts';
import { NO_DECODING_IN_RECOVERY, sqlstateOf, TOO_MANY_CONNECTIONS, toFailure } from './sqlstate.ts';

export interface SlotRequest {
  readonly name: string;
  readonly temporary: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface Attempt {
  readonly exporter: Session;
  readonly creation: Promise<unknown>;
}

const GONE_TIMEOUT_MS = 10_000;

/**
 * Creates a logical slot and exports its snapshot. The server waits for every open writing transaction, obeys no timeout and does not even
 * notice a dead client (docs/servers.md P5): so the deadline is ours, and after it no slot may be left. Throws `slot-timeout`, `locked`,
 * `interrupted`, `no-free-slot` (or no free walsender), `preflight-refused`.
 */
export async function createSlot(config: PostgresConfig, pool: SessionPool, request: SlotRequest): Promise<CreatedSlot> {
  throwIfAborted(request.signal);
  await pool.use((session) => refuseExisting(session, request.name));
  const exporter = await connectExporter(config);
  try {
    throwIfAborted(request.signal);
    return await createOn(exporter, pool, request);
  } catch (error) {
    destroySession(exporter);
    throw error;
  }
}

/** Without a free walsender there is no slot either, and whoever can do without one must be able to tell. */
async function connectExporter(config: PostgresConfig): Promise<Session> {
  try {
    return await connect(config, { replication: true });
  } catch (error) {
    if (!(error instanceof Failure) || sqlstateOf(error.cause) !== TOO_MANY_CONNECTIONS) throw error;
    throw new Failure('no-free-slot', error.message, { cause: error.cause, ...(error.hint === undefined ? {} : { hint: error.hint }) });
  }
}

async function createOn(exporter: Session, pool: SessionPool, request: SlotRequest): Promise<CreatedSlot> {
  const kind = request.temporary ? 'TEMPORARY LOGICAL' : 'LOGICAL';
  // The old keyword form is the one that every version from 13 on understands (docs/servers.md P1).
  const creation = exporter.client.query<TextRow>(`CREATE_REPLICATION_SLOT ${quoteIdentifier(request.name)} ${kind} pgoutput EXPORT_SNAPSHOT`).then(
    (result) => ({ row: result.rows[0] }),
    (error: unknown) => ({ error }),
  );
  const wait = waitForEnd(request);
  const outcome = await Promise.race([creation, wait.ended]);
  wait.cancel();
  if (outcome === 'timeout' || outcome === 'aborted') throw await giveUp({ exporter, creation }, pool, request, outcome);
  if ('error' in outcome) throw creationFailure(outcome.error, request.name);
  return created(exporter, pool, request, outcome.row);
}

function created(exporter: Session, pool: SessionPool, request: SlotRequest, row: TextRow | undefined): CreatedSlot {
  return {
    name: request.name,
    consistentPoint: parseLsn(textOf(row, 'consistent_point')),
    snapshotName: textOf(row, 'snapshot_name'),
    release: async () => {
      await endSession(exporter);
      if (request.temporary)
        await pool.use((session) => poll(GONE_TIMEOUT_MS, async () => ((await readSlot(session, request.name)) === null ? true : null)));
    },
  };
}

/** A slot of that name is never taken over here: its consistent point would not be ours. */
async function refuseExisting(session: Session, name: string): Promise<void> {
  const slot = await readSlot(session, name);
  if (slot === null) return;
  if (slot.active)
    throw new Failure('locked', `slot ${name} exists and is in use by pid ${slot.activePid}`, { hint: 'Another build runs; see realign status.' });
  throw new Failure('state-unknown', `slot ${name} exists already`, { hint: 'It is left over from an earlier build; realign abort removes it.' });
}

function waitForEnd(request: SlotRequest): { readonly ended: Promise<'timeout' | 'aborted'>; cancel(): void } {
  let cancel = (): void => undefined;
  const ended = new Promise<'timeout' | 'aborted'>((resolve) => {
    const timer = setTimeout(() => resolve('timeout'), request.timeoutMs);
    const onAbort = (): void => resolve('aborted');
    request.signal.addEventListener('abort', onAbort, { once: true });
    cancel = () => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
    };
  });
  return { ended, cancel };
}

/** Names who is in the way, cancels the creation, and makes sure that no slot stays behind. Returns the failure to throw. */
async function giveUp(attempt: Attempt, pool: SessionPool, request: SlotRequest, why: 'timeout' | 'aborted'): Promise<Failure> {
  const { exporter, creation } = attempt;
  return pool.use(async (session) => {
    const blockers = why === 'timeout' ? await describeBlockers(session, exporter.pid) : [];
    await query(session, { doing: 'cancelling the slot creation' }, 'select pg_cancel_backend($1)', [exporter.pid]);
    await Promise.race([creation, pause(GONE_TIMEOUT_MS, undefined, { ref: false })]);
    destroySession(exporter);
    await dropSlot(session, request.name);
    return why === 'aborted' ? interruption(request.signal) : slotTimeout(request, blockers);
  });
}

function slotTimeout(request: SlotRequest, blockers: readonly string[]): Failure {
  const who = blockers.length === 0 ? 'an open transaction that has ended meanwhile' : blockers.join('; ');
  return new Failure('slot-timeout', `slot ${request.name} was not ready after ${Math.round(request.timeoutMs / 1000)} s; it waited for ${who}`, {
    hint: 'End that transaction (select pg_terminate_backend(pid), or commit / rollback prepared), or give it more time with --slot-timeout. No slot was left.',
  });
}

function creationFailure(error: unknown, name: string): unknown {
  if (sqlstateOf(error) === NO_DECODING_IN_RECOVERY) return inRecovery(`creating slot ${name}`, error);
  return toFailure(error, { doing: `creating slot ${name}`, overrides: { '42710': 'locked', '55000': 'preflight-refused', '42602': 'config' } });
}

function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw interruption(signal);
}

function interruption(signal: AbortSignal): Failure {
  if (signal.reason instanceof Failure) return signal.reason;
  return new Failure('interrupted', 'interrupted while the slot was being made', { hint: 'No slot was left. Run the same command again.' });
}
