import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../core/failure.ts';
import type { ChangeStream } from '../phases/ports.ts';
import { connect, destroySession, endSession, type PostgresConfig, query, type Session, textOf } from './connect.ts';
import { inRecovery } from './insert-lsn.ts';
import { readPublication } from './publication.ts';
import { ReplicationStream, type StreamOptions } from './replication-stream.ts';
import type { SessionPool } from './session-pool.ts';
import { readSlot, terminate } from './slot-state.ts';
import { NO_DECODING_IN_RECOVERY, sqlstateOf, toFailure } from './sqlstate.ts';

export interface StreamRequest {
  readonly slot: string;
  readonly publication: string;
  readonly from: bigint;
}

export interface StreamLimits {
  readonly silenceMs: number;
  readonly maxQueuedBytes: number;
}

const MAX_STATUS_INTERVAL_MS = 5_000;
/** What wal_sender_timeout = 0 (never) counts as, when waiting for a dead connection's walsender to end. */
const DEFAULT_SENDER_TIMEOUT_MS = 60_000;
const AFTER_TERMINATE_MS = 10_000;

/**
 * Opens the stream of a slot at `from`. A slot still held by the walsender of a cut connection is waited for, at most wal_sender_timeout,
 * and then taken (docs/servers.md P29). Throws `slot-lost`, `source-changed` (no publication), `locked` (a living consumer), `connection-lost`.
 */
export async function openStream(config: PostgresConfig, pool: SessionPool, request: StreamRequest, limits: StreamLimits): Promise<ChangeStream> {
  // From 18 on a missing publication is no error, the stream is just empty (docs/servers.md P25).
  await pool.use((session) => requirePublication(session, request.publication));
  const session = await connect(config, { replication: true });
  try {
    const senderTimeoutMs = await readSenderTimeout(session);
    const statusIntervalMs = Math.max(50, Math.min(MAX_STATUS_INTERVAL_MS, Math.floor(senderTimeoutMs / 3), Math.floor(limits.silenceMs / 4)));
    const explainEnd = (error: unknown): Promise<Error> => explain(pool, request, error);
    return await startWhenFree(pool, session, { ...request, ...limits, statusIntervalMs, explainEnd }, senderTimeoutMs);
  } catch (error) {
    if (session.lost === null) await endSession(session);
    else destroySession(session);
    throw error instanceof Failure ? error : await explain(pool, request, error);
  }
}

async function requirePublication(session: Session, name: string): Promise<void> {
  if ((await readPublication(session, name)) !== null) return;
  throw missingPublication(name);
}

function missingPublication(name: string, cause?: unknown): Failure {
  return new Failure('source-changed', `publication ${name} does not exist`, {
    hint: 'It was dropped or renamed during the build; start a new build.',
    cause,
  });
}

async function readSenderTimeout(session: Session): Promise<number> {
  const rows = await query(
    session,
    { doing: 'reading wal_sender_timeout' },
    "select setting as ms from pg_settings where name = 'wal_sender_timeout'",
  );
  const ms = Number(textOf(rows[0], 'ms'));
  return ms === 0 ? DEFAULT_SENDER_TIMEOUT_MS : ms;
}

async function startWhenFree(pool: SessionPool, session: Session, options: StreamOptions, senderTimeoutMs: number): Promise<ChangeStream> {
  const deadline = performance.now() + senderTimeoutMs;
  let takenAt: number | null = null;
  const alive = livenessOf(options.slot);
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, 1_000)) {
    try {
      return await ReplicationStream.start(session, options);
    } catch (error) {
      if (sqlstateOf(error) !== '55006') throw error;
    }
    if (await pool.use(alive)) throw inUse(options.slot);
    if (takenAt === null && performance.now() > deadline) {
      await pool.use((control) => terminateHolder(control, options.slot));
      takenAt = performance.now();
    }
    if (takenAt !== null && performance.now() > takenAt + AFTER_TERMINATE_MS) throw inUse(options.slot);
    await pause(delayMs);
  }
}

/** When the slot's consumer last sent a status, as text; null if it has none or may not be seen. */
async function lastReply(session: Session, slot: string): Promise<string | null> {
  const rows = await query(
    session,
    { doing: `looking at the consumer of slot ${slot}` },
    `select r.reply_time::text as replied from pg_replication_slots s join pg_stat_replication r on r.pid = s.active_pid where s.slot_name = $1`,
    [slot],
  );
  return rows[0]?.replied ?? null;
}

/**
 * A consumer that goes on sending its status is alive: another build, not the remains of a cut connection. One new status may have been under
 * way when the connection was cut; two are not.
 */
function livenessOf(slot: string): (session: Session) => Promise<boolean> {
  const seen = new Set<string>();
  return async (session) => {
    const reply = await lastReply(session, slot);
    if (reply !== null) seen.add(reply);
    return seen.size > 2;
  };
}

async function terminateHolder(session: Session, slot: string): Promise<void> {
  const pid = (await readSlot(session, slot))?.activePid ?? null;
  if (pid !== null) await terminate(session, pid);
}

function inUse(slot: string): Failure {
  return new Failure('locked', `slot ${slot} is in use by another build`, { hint: 'Wait for it, or see realign status.' });
}

/** After a cut only the slot itself tells whether it can go on: a lost slot ends in the same "terminated unexpectedly" (docs/servers.md P30). */
async function explain(pool: SessionPool, request: StreamRequest, error: unknown): Promise<Error> {
  const doing = `streaming slot ${request.slot}`;
  if (sqlstateOf(error) === '42704') return (await missingSlot(pool, request, error)) ?? missingPublication(request.publication, error);
  if (sqlstateOf(error) === NO_DECODING_IN_RECOVERY) return (await missingSlot(pool, request, error)) ?? inRecovery(doing, error);
  const failure = toFailure(error, { doing, overrides: { '55000': 'slot-lost', '42602': 'config' } });
  if (failure instanceof Failure && failure.kind === 'source-changed') return (await missingSlot(pool, request, error)) ?? failure;
  if (failure instanceof Failure && failure.kind !== 'connection-lost' && failure.kind !== 'slot-lost') return failure;
  const lost = await missingSlot(pool, request, error);
  if (lost !== null) return lost;
  return failure instanceof Error
    ? failure
    : new Failure('connection-lost', `${doing} failed`, {
        hint: 'See the log of the PostgreSQL server; the same command resumes the build.',
        cause: error,
      });
}

async function missingSlot(pool: SessionPool, request: StreamRequest, cause: unknown): Promise<Failure | null> {
  try {
    const slot = await pool.use((session) => readSlot(session, request.slot));
    const state = slot === null ? 'is gone' : slot.walStatus === 'lost' ? 'was invalidated: the server removed WAL that it needed' : null;
    if (state === null) return null;
    return new Failure('slot-lost', `slot ${request.slot} ${state}`, {
      hint: 'This build cannot be resumed; start a new one. See max_slot_wal_keep_size and idle_replication_slot_timeout.',
      cause,
    });
  } catch (error) {
    // The server is away altogether: that is the failure to report.
    return error instanceof Failure
      ? new Failure('connection-lost', error.message, { cause: error, ...(error.hint === undefined ? {} : { hint: error.hint }) })
      : null;
  }
}
