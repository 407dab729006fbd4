import { formatBytes, formatCount, formatDuration } from '../config/quantity.ts';
import { fieldCounts, KIND_WORDS } from './difference-words.ts';
import type { IndexReport, Report, ReportFailure, Verification } from './report-schema.ts';
import { overallVerdict, verdictOf } from './verdict.ts';
import { codeMarkdown as code, escapeMarkdown as plain } from './visible-text.ts';

const SHOWN_KEYS = 20;
const ICONS = { good: '✅', bad: '❌', warn: '⚠️' } as const;

/** `summary.md`: what a pull request or a job's page shows. GitHub allows a mebibyte; this stays below a hundredth of that for each index. */
export function markdownSummary(report: Report): string {
  const { tone, headline } = overallVerdict(report);
  const names = report.runs.map(({ index }) => code(index)).join(', ');
  const title = `## ${ICONS[tone]} realign ${report.command}${names === '' ? '' : ` ${names}`}: ${plain(headline)}`;
  const single = report.runs.length === 1;
  const blocks = [title, ...failureBlocks(report.failure), ...report.runs.flatMap((run) => runBlocks(run, single))];
  return `${[...blocks, `<sub>${plain(report.tool)} · exit code ${report.exitCode} · ${formatDuration(report.durationMs)}</sub>`].join('\n\n')}\n`;
}

function runBlocks(run: IndexReport, single: boolean): readonly string[] {
  const { tone, headline, sentence } = verdictOf(run);
  const heading = single ? [] : [`### ${ICONS[tone]} ${code(run.index)} ${plain(headline)}`];
  const lines = sentence === '' || run.failure !== null ? [] : [plain(sentence)];
  const again = `<details><summary>The same again</summary>\n\n${code(run.again)}\n\n</details>`;
  return [
    ...heading,
    ...lines,
    figures(run),
    ...differenceBlocks(run.verification),
    ...rejectBlocks(run),
    ...failureBlocks(run.failure),
    ...phases(run),
    again,
  ];
}

function figures({ verification, rejects, totals, durationMs }: IndexReport): string {
  const rows: (readonly [string, string])[] = [];
  if (verification !== null) {
    const { partitions, partitionsEqual, sampled, mode, fenceLsn, seed } = verification;
    rows.push(['rows / documents', `${formatCount(verification.rows)} / ${formatCount(verification.documents)}`]);
    rows.push(['differences', formatCount(verification.differenceCount)]);
    if (partitions > 0) rows.push(['partitions equal', `${formatCount(partitionsEqual)} of ${formatCount(partitions)}`]);
    rows.push(['sample', `${formatCount(sampled.random + sampled.changed + sampled.deleted)}, seed ${code(seed)}`]);
    rows.push(['compared', `${mode}, at ${code(fenceLsn)}`]);
  }
  rows.push(['rejected rows', formatCount(rejects.count)], ['duration', formatDuration(durationMs)]);
  if (totals.rows > 0) rows.push(['loaded / replayed', `${formatCount(totals.rows)} / ${formatCount(totals.changes)}`]);
  if (totals.bulks !== null) rows.push(['bulk requests, found best', `${totals.bulks.jobs} at a time of ${formatBytes(totals.bulks.bytes)}`]);
  if (totals.peakSlotWalBytes !== '0') rows.push(['WAL held back, at most', formatBytes(BigInt(totals.peakSlotWalBytes))]);
  return table(['', ''], rows);
}

function differenceBlocks(verification: Verification | null): readonly string[] {
  if (verification === null || verification.differenceCount === 0) return [];
  const { kinds, differences, differenceCount } = verification;
  const byKind = Object.entries(KIND_WORDS).flatMap(([kind, words]) => {
    const count = kinds[kind as keyof typeof kinds];
    return count === 0 ? [] : [[words, formatCount(count)] as const];
  });
  const byField = fieldCounts(differences).map(({ name, count }) => [code(name), formatCount(count)] as const);
  const keys = differences.slice(0, SHOWN_KEYS).map(({ key, kind, fields }) => {
    return [code(key), KIND_WORDS[kind as keyof typeof KIND_WORDS] ?? plain(kind), fields.map(code).join(', ')] as const;
  });
  const rest = differenceCount - keys.length;
  return [
    table(['differences', ''], byKind),
    ...(byField.length === 0 ? [] : [table(['field', ''], byField.slice(0, SHOWN_KEYS))]),
    table(['key', 'what', 'fields'], keys),
    ...(rest > 0 ? [`and ${formatCount(rest)} more, in the report`] : []),
  ];
}

function rejectBlocks({ rejects }: IndexReport): readonly string[] {
  const rows = rejects.groups
    .slice(0, SHOWN_KEYS)
    .map(({ column, reason, count }) => [column === undefined ? '' : code(column), plain(reason), formatCount(count)] as const);
  return rows.length === 0 ? [] : [table(['rejected column', 'reason', 'rows'], rows)];
}

function failureBlocks(failure: ReportFailure | null): readonly string[] {
  if (failure === null) return [];
  const paragraphs = [failure.message, failure.hint, failure.unchanged].filter((text) => text !== '');
  const next = failure.next.map((command) => `- ${code(command)}`);
  return [...paragraphs.map((text) => text.split('\n').map(plain).join('<br>')), ...(next.length === 0 ? [] : [`Next:\n${next.join('\n')}`])];
}

function phases({ phases: all }: IndexReport): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map(({ phase, durationMs }) => [plain(phase), durationMs === null ? 'did not end' : formatDuration(durationMs)] as const);
  return [`<details><summary>Phases</summary>\n\n${table(['phase', 'takes'], rows)}\n\n</details>`];
}

/** Cells are Markdown already. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
