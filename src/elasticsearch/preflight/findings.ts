import { findingsOf } from '../../core/finding.ts';
import type { IndexSettings } from '../../phases/sink-ports.ts';

export interface PreflightRequest {
  readonly alias: string;
  readonly index: string;
  readonly settings: IndexSettings;
  readonly adopt: boolean;
  readonly sourceBytes: number;
}

export const { ok, warn, fail } = findingsOf('elasticsearch');
