import { createHash } from 'node:crypto';
import { formatDuration } from '../../config/quantity.ts';
import type { Report } from '../report-schema.ts';
import { overallVerdict, verdictOf } from '../verdict.ts';
import { type Html, html, NOTHING } from './markup.ts';
import { banner, failureBox, runSection } from './run-section.ts';
import { STYLE } from './style.ts';

/**
 * The report as one page that needs nothing else: it opens from a disk, a CI artefact or a mail. The policy allows this one style sheet, by its hash, and nothing more: no
 * script, no picture, no request, so that no key can do anything here (https://www.w3.org/TR/CSP3/).
 */
export function htmlPage(report: Report): string {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  const { headline, mark } = overallVerdict(report);
  const title = `${mark} ${report.runs.map(({ index }) => index).join(', ')} ${headline}`;
  const head = html`<meta charset="utf-8"><meta name="generator" content="realign"><meta http-equiv="Content-Security-Policy" content="`;
  // Within the double quotes of the attribute single quotes are plain text; the policy has no other mark that HTML knows.
  return `<!doctype html>\n<html lang="en"><head>${head}${policy}">${html`<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer"><meta name="robots" content="noindex"><title>${title}</title>`}<style>${STYLE}</style></head>
<body>${body(report)}</body></html>\n`;
}

function body(report: Report): Html {
  const { runs } = report;
  const several = runs.length !== 1 || report.failure !== null;
  const top = several ? html`${banner(overallVerdict(report), report.command, 'title')}${failureBox(report.failure)}${overview(report)}` : NOTHING;
  const sections = runs.map((run, at) => runSection(run, report, `r${at + 1}`));
  return html`<header><span class="brand">realign</span> <span>${report.command}</span><time datetime="${report.startedAt}">${report.startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time></header>
<main>${top}${sections}</main>
<footer>${report.tool} · exit code ${report.exitCode} · ${formatDuration(report.durationMs)}</footer>`;
}

function overview({ runs }: Report): Html {
  if (runs.length < 2) return NOTHING;
  const rows = runs.map((run, at) => {
    const { tone, mark, headline } = verdictOf(run);
    return html`<tr><th scope="row"><a href="#r${at + 1}">${run.index}</a></th><td class="${tone}">${mark} ${headline}</td><td class="number">${run.exitCode}</td><td class="number">${formatDuration(run.durationMs)}</td></tr>`;
  });
  return html`<nav aria-label="Indices"><table><thead><tr><th scope="col">index</th><th scope="col">result</th><th scope="col" class="number">exit</th><th scope="col" class="number">time</th></tr></thead><tbody>${rows}</tbody></table></nav>`;
}
