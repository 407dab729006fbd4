import { formatCount } from '../../config/quantity.ts';
import type { Verification } from '../report-schema.ts';
import { type Html, html, NOTHING } from './markup.ts';

/** More cells than this nobody can look at: then a cell stands for several neighbours. */
const MAX_CELLS = 1024;

const LEGEND = html`<ul class="legend"><li><i class="c"></i> equal</li><li><b class="c d1">1</b> one difference</li><li><b class="c d2">5</b> several</li><li><b class="c d3">+</b> ten or more</li><li><b class="c s">·</b> differed at first, nothing lasting named</li></ul>`;

interface Cell {
  readonly first: number;
  readonly last: number;
  /** Lasting differences that are named below. */
  readonly differences: number;
  /** It differed at first, though nothing lasting (or named) was found. */
  readonly suspect: boolean;
}

/** The anchor of a partition's first key in the table of differences. */
export function partitionAnchor(prefix: string, partition: number): string {
  return `${prefix}-p${partition}`;
}

/** One cell a partition; a differing one shows how many differences it has and leads to their keys. */
export function heatMap(verification: Verification, prefix: string): Html {
  const { partitions, partitionDrift, partitionsDiffering } = verification;
  if (partitions === 0) return NOTHING;
  const span = Math.ceil(partitions / MAX_CELLS);
  const cells = Array.from({ length: Math.ceil(partitions / span) }, (_, at) =>
    cellOf(verification, at * span, Math.min(partitions, (at + 1) * span) - 1),
  );
  const named = new Set(verification.differences.map(({ partition }) => partition));
  const differing = new Set([...partitionsDiffering, ...partitionDrift.map(({ partition }) => partition)]).size;
  return html`<h3>Partitions</h3>
<p class="quiet">All ids are split into ${formatCount(partitions)} partitions by hash; ${verification.audit?.sectioned === true ? 'one is equal if each of its documents was' : 'each side has one checksum for each'}. ${differing === 0 ? 'All are equal.' : `${formatCount(differing)} of them differ; a number is the count of documents, and leads to their keys.`}${span > 1 ? ` One cell stands for ${span} partitions.` : ''}</p>
<div class="heat" role="group" aria-label="${formatCount(partitions - differing)} of ${formatCount(partitions)} partitions are equal">${cells.map((cell) => cellMarkup(cell, prefix, named))}</div>${differing === 0 ? NOTHING : LEGEND}`;
}

function cellOf({ partitionDrift, partitionsDiffering }: Verification, first: number, last: number): Cell {
  const within = (partition: number) => partition >= first && partition <= last;
  const drift = partitionDrift.filter(({ partition }) => within(partition));
  const differences = drift.reduce((sum, { missing, extra, different, stale }) => sum + missing + extra + different + stale, 0);
  return { first, last, differences, suspect: partitionsDiffering.some(within) };
}

function cellMarkup({ first, last, differences, suspect }: Cell, prefix: string, named: ReadonlySet<number | null>): Html {
  const name = first === last ? `partition ${first}` : `partitions ${first}–${last}`;
  if (differences === 0) return suspect ? html`<b class="c s" title="${name}: differed at first, nothing lasting">·</b>` : html`<i class="c"></i>`;
  const level = differences === 1 ? 'd1' : differences < 10 ? 'd2' : 'd3';
  const label = differences < 10 ? String(differences) : '+';
  const title = `${name}: ${formatCount(differences)} ${differences === 1 ? 'difference' : 'differences'}`;
  const target = Array.from({ length: last - first + 1 }, (_, at) => first + at).find((partition) => named.has(partition));
  if (target === undefined) return html`<b class="c ${level}" title="${title}">${label}</b>`;
  return html`<a class="c ${level}" href="#${partitionAnchor(prefix, target)}" title="${title}">${label}</a>`;
}
