import { NOT_OF_A_BUILD } from '../../../core/verify/version-owner.ts';
import { formatCount } from '../../config/quantity.ts';
import { fieldCounts, KIND_WORDS } from '../difference-words.ts';
import type { ReportedDifference, Verification } from '../report-schema.ts';
import { partitionAnchor } from './heat-map.ts';
import { type Html, html, NOTHING } from './markup.ts';

/** What differs: by kind, by field, and every key that is named. */
export function differences(verification: Verification, prefix: string): Html {
  if (verification.differenceCount === 0) return NOTHING;
  return html`<h3>Differences</h3><div class="columns">${byKind(verification)}${byField(verification)}</div>${countedOnly(verification)}${keyTable(verification, prefix)}`;
}

/** The kinds are counted where the documents are named. */
function countedOnly({ kinds, differenceCount }: Verification): Html {
  const counted = kinds.missing + kinds.extra + kinds.different + kinds.stale;
  return counted >= differenceCount
    ? NOTHING
    : html`<p class="quiet">Of ${formatCount(differenceCount)} differences the first ${formatCount(counted)} are named and counted here.</p>`;
}

function byKind({ kinds }: Verification): Html {
  const counts = Object.entries(KIND_WORDS).map(([kind, words]) => ({ name: words, count: kinds[kind as keyof typeof kinds] }));
  return countTable(
    'kind',
    counts.filter(({ count }) => count > 0),
  );
}

function byField(verification: Verification): Html {
  const fields = fieldCounts(verification.differences).slice(0, 20);
  return fields.length === 0 ? NOTHING : countTable('field', fields);
}

function countTable(title: string, counts: readonly { readonly name: string; readonly count: number }[]): Html {
  const most = Math.max(1, ...counts.map(({ count }) => count));
  const rows = counts.map(({ name, count }) => {
    const width = Math.max(1, (count / most) * 100).toFixed(1);
    return html`<tr><th scope="row">${name}</th><td class="number">${formatCount(count)}</td><td class="bar"><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="bar" width="${width}" height="8"/></svg></td></tr>`;
  });
  return html`<table class="counts"><thead><tr><th scope="col">${title}</th><th scope="col" class="number">documents</th><th scope="col">&#160;</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function keyTable(verification: Verification, prefix: string): Html {
  // Together by partition, so that a cell of the heat map leads to all of its keys.
  const sorted = verification.differences.toSorted((a, b) => (a.partition ?? -1) - (b.partition ?? -1));
  const showsValues = sorted.some(({ values }) => values.length > 0);
  let last: number | null = null;
  const rows = sorted.map((difference) => {
    const anchor = difference.partition === null || difference.partition === last ? null : partitionAnchor(prefix, difference.partition);
    last = difference.partition;
    return keyRow(difference, anchor, showsValues);
  });
  const rest = verification.differenceCount - sorted.length;
  const more = rest > 0 ? html`<p class="quiet">and ${formatCount(rest)} more that are counted, not named.</p>` : NOTHING;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Keys that differ"><table class="keys"><thead><tr><th scope="col">key</th><th scope="col">what</th><th scope="col">fields</th>${showsValues ? html`<th scope="col">PostgreSQL → Elasticsearch</th>` : NOTHING}<th scope="col" class="number">partition</th></tr></thead><tbody>${rows}</tbody></table></div>${more}`;
}

function keyRow(difference: ReportedDifference, anchor: string | null, showsValues: boolean): Html {
  const { key, kind, fields, values, partition, foreign, copies } = difference;
  const remarks = [...(foreign === true ? [`written ${NOT_OF_A_BUILD}`] : []), ...(copies > 1 ? [`${copies} copies`] : [])];
  const note = remarks.length === 0 ? NOTHING : html` <span class="quiet">(${remarks.join(', ')})</span>`;
  const list = values.map(
    ({ field, postgres, elasticsearch }) => html`<div><b>${field}</b> <code>${postgres}</code> → <code>${elasticsearch}</code></div>`,
  );
  const valueCell = showsValues ? html`<td>${list}</td>` : NOTHING;
  const id = anchor === null ? NOTHING : html` id="${anchor}"`;
  return html`<tr${id}><th scope="row"><code>${key}</code></th><td>${KIND_WORDS[kind as keyof typeof KIND_WORDS] ?? kind}${note}</td><td>${fields.join(', ')}</td>${valueCell}<td class="number">${partition ?? '–'}</td></tr>`;
}
