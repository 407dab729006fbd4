import { type BenchReport, caseOf } from './report.ts';
import { judgeTargets } from './targets.ts';

type Figured = Omit<BenchReport, 'targets'>;

/**
 * A report with what a later run has measured in place of what it measured again: whole cases, single sizes of (j). Only figures of one machine, its servers and one way of
 * running stand side by side: null if the two are not of that kind.
 */
export function mergeReports(kept: BenchReport, fresh: Figured): BenchReport | null {
  if (!isComparable(kept, fresh)) return null;
  const cases = new Set(fresh.summaries.map(({ name }) => caseOf(name)));
  const sizes = new Set(fresh.growth.map(({ rows }) => rows));
  return judged({
    ...fresh,
    runs: [...kept.runs, ...fresh.runs],
    summaries: [...kept.summaries.filter(({ name }) => !cases.has(caseOf(name))), ...fresh.summaries],
    sourceCost: fresh.sourceCost ?? kept.sourceCost,
    growth: [...kept.growth.filter(({ rows }) => !sizes.has(rows)), ...fresh.growth],
    scaling: fresh.scaling.length === 0 ? kept.scaling : fresh.scaling,
  });
}

/** In order, without runs of which no figure is left, and with what became of the targets. */
export function judged(report: Figured): BenchReport {
  const used = new Set(
    [...report.summaries, ...report.growth, ...report.scaling, ...(report.sourceCost === null ? [] : [report.sourceCost])].map(({ run }) => run),
  );
  const ordered = {
    ...report,
    runs: report.runs.filter(({ startedAt }) => used.has(startedAt)).sort((a, b) => a.startedAt.localeCompare(b.startedAt)),
    summaries: [...report.summaries].sort((a, b) => a.name.localeCompare(b.name)),
    growth: [...report.growth].sort((a, b) => a.rows - b.rows),
  };
  return { ...ordered, targets: judgeTargets(ordered) };
}

/** Figures of smoke runs mean nothing: they never stand beside others. */
function isComparable(kept: BenchReport, fresh: Figured): boolean {
  if (kept.format !== fresh.format) return false;
  const [smoke, shape] = [fresh.runs[0]?.smoke, shapeOf(fresh)];
  return kept.runs.every((run) => run.smoke === smoke) && shapeOf(kept) === shape;
}

function shapeOf({ machine, runs }: Figured): string {
  const [first] = runs;
  return JSON.stringify([machine, first?.shards, first?.nodes]);
}
