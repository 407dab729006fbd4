import { didYouMean } from '../core/nearest-name.ts';
import type { Flags } from './arguments.ts';
import { usage } from './check-arguments.ts';
import { DEFAULT_OCCASIONS, NO_OUTLETS, noticeUrlProblem, type Outlets, pushUrlProblem } from './config/resolve-outlets.ts';
import type { MaskRequest } from './report/key-mask.ts';
import { REPORT_FORMATS, type ReportFormat } from './report/write-report.ts';

/** What the flags say of reports, metrics and notices. */
export interface OutletFlags {
  readonly report: { readonly directory: string; readonly formats: readonly ReportFormat[] } | null;
  readonly mask: MaskRequest;
  readonly textfile: string | null;
  readonly pushgateway: URL | null;
  readonly webhook: URL | null;
}

/** Throws `usage` for values that make no sense, before anything is contacted. */
export function outletFlags(flags: Flags): OutletFlags {
  const text = (name: string) => (typeof flags[name] === 'string' ? flags[name] : null);
  const directory = text('report');
  if (directory === null && flags['report-format'] !== undefined) throw usage('--report-format needs --report DIR');
  return {
    report: directory === null ? null : { directory, formats: formatsOf(text('report-format')) },
    mask: { hashKeys: flags['hash-keys'] === true, showValues: showValues(text('show-values')) },
    textfile: text('metrics-textfile'),
    pushgateway: urlFlag('pushgateway', text('pushgateway'), pushUrlProblem),
    webhook: urlFlag('webhook', text('webhook'), noticeUrlProblem),
  };
}

/** Flags over the file. */
export function mergeOutlets(flags: OutletFlags, file: Outlets | null): Outlets {
  const { textfile, pushgateway, webhook, webhookSecret, beforeSwap } = file ?? NO_OUTLETS;
  const named = flags.webhook === null ? webhook : { url: flags.webhook, on: webhook?.on ?? DEFAULT_OCCASIONS, secret: webhookSecret };
  return { textfile: flags.textfile ?? textfile, pushgateway: flags.pushgateway ?? pushgateway, webhook: named, webhookSecret, beforeSwap };
}

function showValues(text: string | null): MaskRequest['showValues'] {
  return text === 'truncated' || text === 'full' ? text : 'none';
}

function formatsOf(text: string | null): readonly ReportFormat[] {
  if (text === null) return REPORT_FORMATS;
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names)].map((name) => {
    const format = REPORT_FORMATS.find((known) => known === name);
    if (format !== undefined) return format;
    throw usage(`--report-format: expected a list of ${REPORT_FORMATS.join(', ')}, not ${JSON.stringify(name)}${didYouMean(name, REPORT_FORMATS)}`);
  });
}

function urlFlag(flag: string, text: string | null, problemOf: (text: string) => string | null): URL | null {
  if (text === null) return null;
  const problem = problemOf(text);
  if (problem !== null) throw usage(`--${flag}: ${problem}`);
  return new URL(text);
}
