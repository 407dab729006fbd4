import { formatCounted, formatDuration } from '../config/quantity.ts';
import type { IndexReport, Report } from '../report/report-schema.ts';
import { verdictOf } from '../report/verdict.ts';

export const NOTICE_OCCASIONS = ['failed', 'held', 'drift', 'succeeded'] as const;
export type NoticeOccasion = (typeof NOTICE_OCCASIONS)[number];

/** The body of a webhook: `text` is what Slack and its like show, the rest is for programs. Counts and the run's id only: no key, no value, no message of a server. */
export interface Notice {
  readonly text: string;
  readonly event: NoticeOccasion;
  readonly command: string;
  readonly index: string | null;
  readonly run: string | null;
  readonly result: string;
  readonly exit_code: number | null;
  readonly duration_ms: number;
  readonly counts: {
    readonly rows: number | null;
    readonly documents: number | null;
    readonly differences: number | null;
    readonly unsettled: number | null;
    readonly rejected: number;
  };
}

/** What a finished run of one index is told as; null for what needs no notice: an interruption, which somebody asked for and which the same command resumes, and a run that had nothing to do. */
export function occasionOf(run: Pick<IndexReport, 'exitCode' | 'result'>, command: string): NoticeOccasion | null {
  if (run.result === 'interrupted') return null;
  if (run.exitCode === 0) return run.result === 'succeeded' ? 'succeeded' : null;
  return command === 'audit' && run.exitCode === 2 ? 'drift' : 'failed';
}

/** The notice of an index that is done, or held. */
export function noticeOf(run: IndexReport, command: string, event: NoticeOccasion): Notice {
  const { verification, rejects } = run;
  return {
    text: textOf(run, command, event),
    event,
    command,
    index: run.index,
    run: run.build,
    result: event === 'held' ? 'held' : run.result,
    exit_code: event === 'held' ? null : run.exitCode,
    duration_ms: run.durationMs,
    counts: {
      rows: verification?.rows ?? null,
      documents: verification?.documents ?? null,
      differences: verification?.differenceCount ?? null,
      unsettled: verification?.unsettledCount ?? null,
      rejected: rejects.count,
    },
  };
}

/** The notice of a command that failed before any index was begun. */
export function wholeNotice({ command, exitCode, result, durationMs }: Report): Notice {
  const counts = { rows: null, documents: null, differences: null, unsettled: null, rejected: 0 };
  const text = `✗ realign ${command}: failed before any index was begun (exit ${exitCode})`;
  return { text, event: 'failed', command, index: null, run: null, result, exit_code: exitCode, duration_ms: durationMs, counts };
}

function textOf(run: IndexReport, command: string, event: NoticeOccasion): string {
  const build = run.build === null ? '' : ` (build ${run.build})`;
  if (event === 'held') return `⏸ realign ${command} ${mrkdwn(run.index)}${build}: verified, and held before the swap`;
  const { mark, headline } = verdictOf(run);
  const rows = run.verification === null ? '' : `, ${formatCounted(run.verification.rows, 'row')}`;
  const exit = run.exitCode === 0 ? '' : `, exit ${run.exitCode}`;
  return `${mark} realign ${command} ${mrkdwn(run.index)}${build}: ${headline}${rows}, ${formatDuration(run.durationMs)}${exit}`;
}

/** https://api.slack.com/reference/surfaces/formatting#escaping */
function mrkdwn(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
