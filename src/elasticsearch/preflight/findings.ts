import { findingsOf } from '../../core/finding.ts';
import type { IndexSettings } from '../../phases/sink-ports.ts';

export interface PreflightRequest {
  readonly alias: string;
  readonly index: string;
  readonly settings: IndexSettings;
  readonly adopt: boolean;
  readonly sourceBytes: number;
  /** Absent: there is no plan, and nothing to try. */
  readonly mapping?: { readonly [key: string]: unknown };
  /** `--swap-when`, if it was said. */
  readonly swapWhen?: 'green' | 'yellow' | null;
}

export const { ok, warn, fail } = findingsOf('elasticsearch');
