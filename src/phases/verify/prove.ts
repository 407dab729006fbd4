import { ignorableFields } from '../../core/plan/ignorable-fields.ts';
import type { VerifyMode } from '../../core/plan/index-config.ts';
import { isPassing, type PassingReport, requirePassing } from '../../core/verify/passing-report.ts';
import type { Run } from '../build/run-state.ts';
import { checkCatalog } from '../guards/catalog-guard.ts';
import type { Replay } from '../replay.ts';
import { verifyAtFence } from '../verify.ts';

/** The verification of the whole; what the replay changes from its beginning on is the tail that a later one must prove. */
export async function proveWhole(run: Run, replay: Replay): Promise<PassingReport> {
  replay.touched.startTail();
  return await proveIndex(run, replay);
}

/** Compares the index with the table at a fence and reports the result; throws `verification-failed` unless everything is equal, `source-changed` if that is why. */
export async function proveIndex(run: Run, replay: Replay, mode: VerifyMode = run.options.verify): Promise<PassingReport> {
  const { source, sink, clock, reporter, table, documents, names, options, signal } = run;
  const report = await verifyAtFence({
    source,
    sink,
    replay,
    clock,
    reporter,
    table,
    plan: documents,
    index: names.index,
    mode,
    sample: options.sample,
    seed: options.seed,
    rejectedIds: run.rejected.ids,
    mayBeIgnored: ignorableFields(run.plan.mapping),
    slotName: names.slot,
    slotTimeoutMs: options.slotTimeoutMs,
    signal,
    ...(run.failpoint === undefined ? {} : { failpoint: run.failpoint }),
  });
  await run.failpoint?.('verify.compared');
  reporter.report({ type: 'verify.result', passed: isPassing(report), ...report });
  for (const { id, kind, fields } of report.differences) reporter.report({ type: 'drift', id, kind, fields });
  // A table or publication that was changed sends no changes: that is the reason then, and the differences are what came of it.
  if (!isPassing(report)) await checkCatalog(run);
  return requirePassing(report);
}
