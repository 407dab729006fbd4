/** One result of the preflight: what was looked at, what was seen, and the command or change that mends it. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly side: 'postgres' | 'elasticsearch';
  /** A stable short name, e.g. `wal-level`. */
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}
