import { NOT_OF_A_BUILD } from '../../../core/verify/version-owner.ts';
import { formatCount, formatCounted } from '../../config/quantity.ts';
import type { IndexReport, Report, ReportFailure, Verification } from '../report-schema.ts';
import { type Verdict, verdictOf } from '../verdict.ts';
import { differences } from './differences.ts';
import { heatMap } from './heat-map.ts';
import { type Html, html, lines, NOTHING } from './markup.ts';
import { timeline } from './plots.ts';
import { tiles } from './tiles.ts';

/** Everything about one index. `prefix` makes the anchors of several unique. */
export function runSection(run: IndexReport, report: Report, prefix: string): Html {
  const { verification } = run;
  const proof = verification === null ? NOTHING : html`${differences(verification, prefix)}${heatMap(verification, prefix)}${method(verification)}`;
  return html`<section id="${prefix}" aria-labelledby="${prefix}-title">
${banner(verdictOf(run), run.index, `${prefix}-title`)}${failureBox(run.failure)}${nextBox(verification?.audit?.next ?? [])}${tiles(run)}
${proof}${timeline(run)}${rejected(run)}${warnings(run)}${facts(run, report)}
</section>`;
}

/** The verdict, first and large: a sign, words and a sentence. */
export function banner({ tone, mark, headline, sentence }: Verdict, name: string, id: string): Html {
  return html`<div class="banner ${tone}"><span class="mark" aria-hidden="true">${mark}</span><div><h2 id="${id}"><span class="name">${name}</span> ${headline}</h2><p>${sentence}</p></div></div>`;
}

/** What failed, what is unchanged, what to type next. */
export function failureBox(failure: ReportFailure | null): Html {
  if (failure === null) return NOTHING;
  const { message, hint, unchanged, next, exitCode, kind } = failure;
  const commands = next.length === 0 ? NOTHING : nextRow(next);
  return html`<dl class="failure"><dt>What failed</dt><dd>${lines(message)}</dd>
${hint === '' ? NOTHING : html`<dt>What helps</dt><dd>${lines(hint)}</dd>`}${unchanged === '' ? NOTHING : html`<dt>Unchanged</dt><dd>${lines(unchanged)}</dd>`}${commands}<dt>Exit code</dt><dd>${exitCode} (${kind})</dd></dl>`;
}

/** What to type after an audit, which has not failed when it has found something. */
function nextBox(next: readonly string[]): Html {
  return next.length === 0 ? NOTHING : html`<dl class="failure">${nextRow(next)}</dl>`;
}

function nextRow(next: readonly string[]): Html {
  return html`<dt>Next</dt><dd>${next.map((command) => html`<div><code>${command}</code></div>`)}</dd>`;
}

function method(verification: Verification): Html {
  const { mode, method: how, fenceLsn, sampled, seed, blindSpots, unsettledCount, audit } = verification;
  const moment =
    how === 'fence' ? `both sides frozen at LSN ${fenceLsn}` : `settling: what differed was looked at again; table read at LSN ${fenceLsn}`;
  const strata = `${formatCount(sampled.random)} random, ${formatCount(sampled.changed)} changed meanwhile, ${formatCount(sampled.deleted)} deleted meanwhile`;
  return html`<h3>How it was compared</h3><dl class="facts"><dt>Mode</dt><dd>${mode}</dd><dt>Moment</dt><dd>${moment}</dd><dt>Sample</dt><dd>${strata}</dd><dt>Seed</dt><dd><code>${seed}</code></dd>${unsettledCount === 0 ? NOTHING : html`<dt>Not judged</dt><dd>${formatCount(unsettledCount)} keys went on changing</dd>`}${audit === null ? NOTHING : auditFacts(audit)}</dl>
<p class="quiet">What this cannot see:</p><ul class="spots">${blindSpots.map((spot) => html`<li>${spot}</li>`)}</ul>`;
}

function auditFacts({ fedBy, foreignWrites, covered, mapping, ignored, repair }: NonNullable<Verification['audit']>): Html {
  const types = mapping.map(({ field, expected, actual }) => html`<div><code>${field}</code> is ${actual}, the config asks for ${expected}</div>`);
  const unindexed = ignored.map(({ field, documents }) => html`<div><code>${field}</code> in ${formatCounted(documents, 'document')}</div>`);
  const repaired =
    repair === null
      ? NOTHING
      : html`<dt>Repair</dt><dd>${repair.dryRun ? 'dry run: would be ' : ''}${formatCount(repair.written)} written, ${formatCount(repair.deleted)} deleted, ${formatCount(repair.proved)} proved equal, ${formatCount(repair.refused.length)} refused</dd>`;
  return html`<dt>Fed by</dt><dd>${fedBy}</dd><dt>Covered</dt><dd>${Math.floor(covered * 100)} %</dd>${foreignWrites === null ? NOTHING : html`<dt>Foreign versions</dt><dd>${formatCount(foreignWrites)} documents, written ${NOT_OF_A_BUILD}</dd>`}${types.length === 0 ? NOTHING : html`<dt>Mapping</dt><dd>${types}</dd>`}${unindexed.length === 0 ? NOTHING : html`<dt>Stored, not indexed</dt><dd>${unindexed}</dd>`}${repaired}`;
}

function rejected({ rejects }: IndexReport): Html {
  if (rejects.count === 0) return NOTHING;
  const groups = rejects.groups.map(
    ({ column, reason, count }) =>
      html`<tr><th scope="row"><code>${column ?? '–'}</code></th><td>${reason}</td><td class="number">${formatCount(count)}</td></tr>`,
  );
  const named = rejects.named.map(
    ({ key, column, reason }) => html`<tr><th scope="row"><code>${key}</code></th><td><code>${column ?? '–'}</code></td><td>${reason}</td></tr>`,
  );
  return html`<h3>Rejected rows</h3><p class="quiet">${formatCounted(rejects.count, 'row is', 'rows are')} not in the index because it cannot hold them.</p>
<table><thead><tr><th scope="col">column</th><th scope="col">reason</th><th scope="col" class="number">rows</th></tr></thead><tbody>${groups}</tbody></table>
<details><summary>${formatCounted(rejects.named.length, 'key')}</summary><div class="scroll" tabindex="0" role="region" aria-label="Rejected keys"><table class="keys"><thead><tr><th scope="col">key</th><th scope="col">column</th><th scope="col">reason</th></tr></thead><tbody>${named}</tbody></table></div></details>`;
}

function warnings(run: IndexReport): Html {
  if (run.warnings.length === 0) return NOTHING;
  const list = run.warnings.map(({ message, hint }) => html`<li>${message}${hint === '' ? NOTHING : html` <span class="quiet">${hint}</span>`}</li>`);
  return html`<h3>Warnings</h3><ul class="warnings">${list}</ul>`;
}

function facts(run: IndexReport, { tool, keys }: Report): Html {
  const { versions } = run;
  const known = [
    ...row('Build', run.build === null ? null : `${run.build}${run.resumed ? ' (resumed)' : ''}`),
    ...row('Table', run.table),
    ...row('Index', run.generation),
    ...row('Before', run.swap?.from ?? null),
    ...row('Started', run.startedAt),
    ...row(
      'Versions',
      [
        tool,
        ...(versions === null ? [] : [`PostgreSQL ${versions.postgres}`, `Elasticsearch ${versions.elasticsearch}`, `Node.js ${versions.node}`]),
      ].join(', '),
    ),
    ...row('Keys', keys.hashed ? `hashed: left(encode(sha256(convert_to('${keys.salt}:' || id, 'UTF8')), 'hex'), 16)` : null),
  ];
  return html`<h3>The run</h3><dl class="facts">${known}</dl><p class="quiet">The same again:</p><pre><code>${run.again}</code></pre>`;
}

function row(name: string, value: string | null): readonly Html[] {
  return value === null ? [] : [html`<dt>${name}</dt><dd>${value}</dd>`];
}
