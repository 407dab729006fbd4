/** One result of the preflight: what was looked at, what was seen, and the command or change that mends it. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  readonly side: 'postgres' | 'elasticsearch';
  /** A stable short name, e.g. `wal-level`. */
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  /**
   * Where the config says it, below the index's entry, `['fields', 'price', 'sql']`, or from the top if it begins with `defaults`; whoever has the
   * file finds line and column by it.
   */
  readonly path?: readonly (string | number)[];
}

/** Whom it is of and what it says; a program that knows its place says that as well. */
export type Worded = (finding: Finding) => string;

export const worded: Worded = ({ side, message }) => `${side}: ${message}`;

/** The code of a finding that only `--adopt` answers. */
export const CONCRETE_INDEX = 'concrete-index';

type SayOk = (code: string, message: string) => Finding;
type SayFix = (code: string, message: string, fix: string, path?: Finding['path']) => Finding;

/** The three ways of saying something of one side. */
export function findingsOf(side: Finding['side']): { readonly ok: SayOk; readonly warn: SayFix; readonly fail: SayFix } {
  return {
    ok: (code, message) => ({ level: 'ok', side, code, message }),
    warn: (code, message, fix, path) => ({ level: 'warn', side, code, message, fix, ...at(path) }),
    fail: (code, message, fix, path) => ({ level: 'fail', side, code, message, fix, ...at(path) }),
  };
}

function at(path: Finding['path']): Pick<Finding, 'path'> {
  return path === undefined ? {} : { path };
}
