import type { ProgressFigures } from '../../core/events.ts';
import { escapedJson } from '../escaped-json.ts';
import { visible } from '../report/visible-text.ts';

type Value = string | number | boolean | null;

/**
 * `key=value` pairs on one line; values with spaces or quotes are quoted as in JSON, and nothing in them steers a terminal. What is null or empty is
 * left out.
 */
export function keyValueLine(pairs: { readonly [key: string]: Value }): string {
  const shown = Object.entries(pairs).filter(([, value]) => value !== null && value !== '');
  return shown
    .map(([key, value]) => `${key}=${/[\s"=]/.test(String(value)) ? escapedJson(JSON.stringify(value)) : visible(String(value))}`)
    .join(' ');
}

/** The figures of a progress line outside a terminal: those of the load while there is one, and of the changes behind it. */
export function progressPairs(phase: string, figures: ProgressFigures): { readonly [key: string]: Value } {
  const load = {
    rows: figures.rows,
    rows_total: figures.rowsTotal < 0 ? null : figures.rowsTotal,
    share: Number(figures.share.toFixed(3)),
    rows_per_second: Math.round(figures.rowsPerSecond),
    eta_seconds: figures.etaSeconds < 0 ? null : Math.round(figures.etaSeconds),
    changes: figures.changes,
  };
  return {
    ...(phase === 'load' ? load : { changes: figures.changes, changes_per_second: Math.round(figures.changesPerSecond) }),
    lag_bytes: figures.lagBytes,
    slot_wal_bytes: figures.slotWalBytes,
    rejected: figures.rejected,
    retries: figures.retries,
    throttle: figures.throttle,
  };
}
