import { findingsOf } from '../../core/finding.ts';

export const { ok, warn, fail } = findingsOf('elasticsearch');
