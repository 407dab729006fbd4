import type { BulkBody } from '../../../src/core/sink/bulk-body.ts';
import type { BulkAnswer } from '../../../src/core/sink/operation.ts';
import { newCounters, RejectList, type Run } from '../../../src/phases/build/run-state.ts';
import { BulkWindow } from '../../../src/phases/bulk/bulk-window.ts';
import type { Sink } from '../../../src/phases/sink-ports.ts';

/** As much of a run as bulks need; `answer` plays the server, and every call is in `calls`. */
export function bulkRun(answer: (body: BulkBody) => BulkAnswer, running: () => number = () => 0): { readonly run: Run; readonly calls: string[] } {
  const calls: string[] = [];
  const sink: Partial<Sink> = {
    bulk: async (_alias, body) => {
      calls.push(body.bytes().toString('utf8'));
      return answer(body);
    },
    runningRequests: async (requests) => {
      calls.push(`running ${requests.join(' ')}`);
      return running();
    },
  };
  const reporter = { report: () => {} };
  const clock = { now: () => 0, date: () => new Date(0), sleep: async () => {} };
  const run = {
    sink,
    reporter,
    clock,
    signal: new AbortController().signal,
    names: { buildAlias: 'A' },
    options: { stallTimeoutMs: 1000 },
    counters: newCounters(),
    random: () => 0.5,
    bulkTuning: { lanes: 1, laneBytes: 1 << 20, tooLarge: (bytes: number) => calls.push(`too large ${bytes}`) },
    bulkWindow: new BulkWindow(() => 4, clock.now),
    rejected: new RejectList([], 10, { write: async () => {} }, reporter),
  };
  return { run: run as unknown as Run, calls };
}
