import type { RunEvent } from '../../core/events.ts';
import { formatBytes } from '../config/quantity.ts';

const LIMITS = { sink: 'no other that was tried is faster', source: 'reading the table takes longer' } as const;

/** What the load has found out about its bulk requests, for the transcript. */
export function tunedText({ bulkJobs, bulkBytes, bytesPerSecond, limit }: Extract<RunEvent, { type: 'tuned' }>): string {
  return `   ${'bulk requests'.padEnd(16)} ${bulkJobs} at a time of ${formatBytes(bulkBytes)}: ${formatBytes(bytesPerSecond)}/s; ${LIMITS[limit]}`;
}
