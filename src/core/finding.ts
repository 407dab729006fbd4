/** One result of the preflight: what was looked at, what was seen, and the command or change that mends it. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly side: 'postgres' | 'elasticsearch';
  /** A stable short name, e.g. `wal-level`. */
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
}

/** The code of a finding that only `--adopt` answers. */
export const CONCRETE_INDEX = 'concrete-index';

type SayOk = (code: string, message: string) => Finding;
type SayFix = (code: string, message: string, fix: string) => Finding;

/** The three ways of saying something of one side. */
export function findingsOf(side: Finding['side']): { readonly ok: SayOk; readonly warn: SayFix; readonly fail: SayFix } {
  return {
    ok: (code, message) => ({ level: 'ok', side, code, message }),
    warn: (code, message, fix) => ({ level: 'warn', side, code, message, fix }),
    fail: (code, message, fix) => ({ level: 'fail', side, code, message, fix }),
  };
}
