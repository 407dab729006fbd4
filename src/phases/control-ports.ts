/** What steering and throttling need from the source; part of `Source` in ports.ts. Every method throws `Failure` for what can happen. */

/** The control of a build: the comment of its publication (core/control.ts). */
export interface ControlSource {
  /** The comment of a publication; null if it has none or does not exist. */
  readComment(publication: string): Promise<string | null>;
  /** Replaces it by what `change` makes of it, one writer at a time. Throws `source-changed` if the publication is gone, `denied`. */
  changeComment(publication: string, change: (comment: string | null) => string): Promise<void>;
  /** True while somebody holds the lock of that name; does not try it. */
  isLocked(name: string): Promise<boolean>;
  /** The server's wall time. */
  serverTime(): Promise<Date>;
}

/** What the operator's query says. */
export type ThrottleAnswer =
  | { readonly kind: 'pass' }
  /** `slow`: it ran into its timeout, which is an answer as well. */
  | { readonly kind: 'hold'; readonly slow: boolean }
  /** `why` is the server's word on the statement, never a row value. */
  | { readonly kind: 'unusable'; readonly why: string };

/** How production is doing. */
export interface PressureSource {
  /** The largest replay lag of the physical standbys, 0 without any; `hidden` standbys do not show theirs to this role. */
  replicaLag(): Promise<{ readonly lagMs: number; readonly hidden: number }>;
  /** Asks the operator's query, read-only and with a short timeout. SQL that cannot run is an answer, no failure. */
  throttleQuery(sql: string): Promise<ThrottleAnswer>;
  /** Who waits for or holds an ACCESS EXCLUSIVE lock on one of these relations, in words; null if nobody does. */
  exclusiveLock(oids: readonly number[]): Promise<string | null>;
  /** Open writing transactions, oldest first, in words: they keep every slot's WAL. */
  writingTransactions(): Promise<readonly string[]>;
  /** The oldest transaction of anybody that holds a snapshot or an xid; null if there is none (or none may be seen). */
  oldestTransaction(): Promise<{ readonly who: string; readonly pid: number; readonly ageMs: number } | null>;
  /** `max_slot_wal_keep_size` in bytes; null = unlimited. */
  slotWalKeepBytes(): Promise<bigint | null>;
}
