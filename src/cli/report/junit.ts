import { counted } from '../../core/counted.ts';
import { KIND_WORDS } from './difference-words.ts';
import type { IndexReport, Report, ReportFailure, Verification } from './report-schema.ts';
import { escapeXml as xml } from './visible-text.ts';

const SHOWN_KEYS = 100;

interface TestCase {
  readonly name: string;
  readonly seconds: number;
  /** `failure`: looked at and found wrong; `error`: could not be done; `skipped`: not reached. */
  readonly outcome: {
    readonly element: 'failure' | 'error' | 'skipped';
    readonly type: string;
    readonly message: string;
    readonly text: string;
  } | null;
}

/** `junit.xml` as CI servers read it: a suite for each index, a case for each phase and each thing that was proved. */
export function junitXml(report: Report): string {
  const suites = report.runs.map((run) => suite(`realign.${run.index}`, casesOf(run, report.command), run.startedAt, run.durationMs));
  if (report.failure !== null) {
    const whole: TestCase = { name: report.command, seconds: 0, outcome: { element: 'error', ...words(report.failure) } };
    suites.unshift(suite('realign', [whole], report.startedAt, report.durationMs));
  }
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(`realign ${report.command}`)}">\n${suites.join('\n')}\n</testsuites>\n`;
}

function suite(name: string, cases: readonly TestCase[], startedAt: string, durationMs: number): string {
  const count = (element: string) => cases.filter(({ outcome }) => outcome?.element === element).length;
  const totals = `tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  const timestamp = startedAt.replace(/\.\d+Z$/, '');
  const lines = cases.map((one) => caseXml(name, one));
  return [
    `<testsuite name="${xml(name)}" ${totals} time="${(durationMs / 1000).toFixed(3)}" timestamp="${timestamp}">`,
    ...lines,
    '</testsuite>',
  ].join('\n');
}

function caseXml(suiteName: string, { name, seconds, outcome }: TestCase): string {
  const attributes = `classname="${xml(suiteName)}" name="${xml(name)}" time="${seconds.toFixed(3)}"`;
  if (outcome === null) return `<testcase ${attributes}/>`;
  const { element, type, message, text } = outcome;
  if (element === 'skipped') return `<testcase ${attributes}><skipped message="${xml(message)}"/></testcase>`;
  return `<testcase ${attributes}><${element} type="${xml(type)}" message="${xml(message)}">${xml(text)}</${element}></testcase>`;
}

function casesOf(run: IndexReport, command: string): readonly TestCase[] {
  const cases = [...phaseCases(run), ...(run.verification === null ? [] : verificationCases(run.verification)), ...rejectCases(run)];
  const told = cases.some(({ outcome }) => outcome !== null && outcome.element !== 'skipped');
  if (run.exitCode === 0 || told) return cases;
  // Whatever else made the exit code: a run that failed never looks green.
  const outcome = run.failure === null ? { type: run.result, message: `exit code ${run.exitCode}`, text: '' } : words(run.failure);
  return [...cases, { name: command, seconds: 0, outcome: { element: 'error', ...outcome } }];
}

function phaseCases(run: IndexReport): readonly TestCase[] {
  return run.phases.map(({ phase, durationMs }): TestCase => {
    const name = `phase ${phase}`;
    if (durationMs !== null) return { name, seconds: durationMs / 1000, outcome: null };
    if (run.failure === null) return { name, seconds: 0, outcome: { element: 'skipped', type: '', message: 'did not end', text: '' } };
    const element = run.failure.kind === 'verification-failed' || run.failure.kind === 'too-many-rejects' ? 'failure' : 'error';
    return { name, seconds: 0, outcome: { element, ...words(run.failure) } };
  });
}

function verificationCases(verification: Verification): readonly TestCase[] {
  const { rows, rejected, documents, partitions, partitionsEqual, differenceCount, unsettledCount } = verification;
  const expected = rows - rejected;
  const check = (name: string, fine: boolean, message: string, text = ''): TestCase => {
    return { name, seconds: 0, outcome: fine ? null : { element: 'failure', type: 'difference', message, text } };
  };
  const found = differenceCount > 0;
  return [
    check(
      'counts',
      expected === documents || verification.audit?.sectioned === true,
      `${counted(expected, 'document')} expected, ${documents} found`,
    ),
    ...(partitions === 0
      ? []
      : [check('checksums', partitionsEqual === partitions || !found, `${partitions - partitionsEqual} of ${partitions} partitions differ`)]),
    check('documents', !found, counted(differenceCount, 'document differs', 'documents differ'), keyLines(verification)),
    check('settled', unsettledCount === 0, `${counted(unsettledCount, 'key')} could not be judged`),
  ];
}

function rejectCases({ rejects, failure }: IndexReport): readonly TestCase[] {
  if (rejects.count === 0) return [];
  // Within --max-rejects they are allowed, which is not the same as passed.
  const text = rejects.groups
    .map(({ column, reason, count }) => `${count} × ${column === undefined ? '' : `column ${column}: `}${reason}`)
    .join('\n');
  const element = failure?.kind === 'too-many-rejects' ? 'failure' : 'skipped';
  return [
    {
      name: 'rejected rows',
      seconds: 0,
      outcome: { element, type: 'rejected', message: `${counted(rejects.count, 'row is', 'rows are')} not in the index`, text },
    },
  ];
}

function keyLines({ differences, differenceCount }: Verification): string {
  const lines = differences.slice(0, SHOWN_KEYS).map(({ key, kind, fields }) => {
    return `${key}: ${KIND_WORDS[kind as keyof typeof KIND_WORDS] ?? kind}${fields.length === 0 ? '' : ` (${fields.join(', ')})`}`;
  });
  const rest = differenceCount - lines.length;
  return [...lines, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

function words(failure: ReportFailure): { readonly type: string; readonly message: string; readonly text: string } {
  const text = [failure.message, failure.hint, failure.unchanged, ...failure.next].filter((line) => line !== '').join('\n');
  return { type: failure.kind, message: failure.message.split('\n')[0] ?? '', text };
}
