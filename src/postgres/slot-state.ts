import { Failure } from '../core/failure.ts';
import { parseLsn } from '../core/lsn.ts';
import type { SlotState } from '../phases/ports.ts';
import { isTrue, query, type Session, type TextRow, textOf } from './connect.ts';
import { poll } from './deadline.ts';
import { sqlstateOf, toFailure } from './sqlstate.ts';

const DROP_TIMEOUT_MS = 15_000;

/** The slot as `pg_replication_slots` shows it, or null. */
export async function readSlot(session: Session, name: string): Promise<SlotState | null> {
  const rows = await query(session, { doing: `reading slot ${name}` }, `${SLOTS} where slot_name = $1`, [name]);
  return rows[0] === undefined ? null : slotState(rows[0]);
}

/** Slots whose name starts with `prefix`, by name. */
export async function listSlots(session: Session, prefix: string): Promise<readonly SlotState[]> {
  const rows = await query(session, { doing: 'listing slots' }, `${SLOTS} where starts_with(slot_name, $1) order by slot_name`, [prefix]);
  return rows.map(slotState);
}

/** Drops the slot if it exists. A walsender still on it is ended first: the name is ours, so is the walsender. Throws `locked` if it stays in use. */
export async function dropSlot(session: Session, name: string): Promise<void> {
  const gone = await poll(DROP_TIMEOUT_MS, async () => {
    const slot = await readSlot(session, name);
    if (slot === null) return true;
    if (slot.activePid !== null) await terminate(session, slot.activePid);
    return (await tryDrop(session, name)) ? true : null;
  });
  if (gone === null) throw new Failure('locked', `slot ${name} is still in use`, { hint: `select pg_drop_replication_slot('${name}');` });
}

/** Ends another backend of our own role; one that is gone already is fine. */
export async function terminate(session: Session, pid: number): Promise<void> {
  await query(session, { doing: 'ending a walsender' }, 'select pg_terminate_backend($1)', [pid]);
}

const SLOTS = `
  select slot_name as name, confirmed_flush_lsn::text as confirmed, restart_lsn::text as restart, active, active_pid::text as pid, wal_status,
    safe_wal_size::text as safe, coalesce(database, '') as database,
    coalesce(greatest(pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end, restart_lsn), 0), 0)
      ::int8::text as retained
  from pg_replication_slots`;

/** True if the slot is gone; false while it is active (it may have become so just now). */
async function tryDrop(session: Session, name: string): Promise<boolean> {
  try {
    await session.client.query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1', [name]);
    return true;
  } catch (error) {
    const sqlstate = sqlstateOf(error);
    if (sqlstate === '42704') return true;
    if (sqlstate === '55006') return false;
    throw toFailure(error, { doing: `dropping slot ${name}` });
  }
}

function slotState(row: TextRow): SlotState {
  return {
    name: textOf(row, 'name'),
    confirmedFlushLsn: lsnOrNull(row.confirmed),
    restartLsn: lsnOrNull(row.restart),
    active: isTrue(row, 'active'),
    activePid: numberOrNull(row.pid),
    walStatus: row.wal_status ?? null,
    safeWalSize: row.safe === null || row.safe === undefined ? null : BigInt(row.safe),
    retainedBytes: BigInt(textOf(row, 'retained')),
    database: textOf(row, 'database'),
  };
}

function lsnOrNull(text: string | null | undefined): bigint | null {
  return text === null || text === undefined ? null : parseLsn(text);
}

function numberOrNull(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}
