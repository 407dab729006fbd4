import type { Summary } from './figures.ts';
import type { Growth } from './growth.ts';
import type { BenchReport } from './report.ts';
import { figure, finder, LINES } from './targets.ts';

const MILLION = 1e6;

/** What somebody asks who has to decide, from the figures below; nothing where the load was not measured. */
export function inShort({ summaries, growth, machine: { cores } }: BenchReport): string {
  const [load, verify, replay] = [LINES.load, LINES.verify, LINES.replay].map(finder(summaries));
  if (load === undefined || verify === undefined) return '';
  const seconds = (summary: Summary): string => figure(MILLION / summary.rowsPerSecond);
  return `## In short

With PostgreSQL, Elasticsearch and realign on the same ${cores} cores:

- A million of these rows are loaded in ${seconds(load)} s and verified in ${seconds(verify)} s; catching up and the swap come on top.${besideWriter(growth.at(-1))}
- The load moves ${figure(load.mbPerSecond)} MB/s of bulk bodies, which are not compressed (C14 of [docs/servers.md](servers.md)). Rows of another size were not measured: expect their cost to follow the bytes rather than their number.
- realign itself needs ${figure(load.nodeUs)} µs of one core for a row of the load, beside an Elasticsearch on the same cores: a core could feed about ${figure(Math.round(100 / load.nodeUs) * 10_000)} rows/s to one that can take them.${replay === undefined ? '' : replayed(replay)}`;
}

function besideWriter(largest: Growth | undefined): string {
  if (largest === undefined) return '';
  const { rows, loadUsPerRow, verifyUsPerRow } = largest;
  return ` Nobody writes to the table meanwhile; under the 200 updates a second of (j), which are replayed on the same cores, a million of ${rows.toLocaleString('en')} rows took ${figure(loadUsPerRow)} and ${figure(verifyUsPerRow)} s.`;
}

function replayed({ rowsPerSecond, nodeUs }: Summary): string {
  return `
- The replay applies ${figure(rowsPerSecond)} changes/s, fewer while the source is written to on the same cores. A source that goes on changing more rows than that is not caught up with: the build says its lag and ends at \`--max-slot-wal\`. realign itself needs ${figure(nodeUs)} µs of one core for a change.`;
}

/** The words of the tables. */
export const WORDS = `What the names of the cases say:

- *Sink limit, recorded bodies*: the bulk bodies of realign, recorded before and sent again over three connections by a process that does nothing else and whose CPU is in no column: what Elasticsearch takes with its
  mapping and settings on these cores. It is sent in one fixed way; the load finds the number and size of its bulks by trying, and can be the faster of the two.
- *Null sink*: see above. *Raw drain*: the slot's changes are read, and only counted. *Decoding*: they are also put together to one change for each key of a transaction; it comes behind the raw drain, when code and
  caches are warm. *Apply*: the catch-up of a build over the same changes.
- (a) the sink's limit, (b) the load and (h) the verification of \`realign rebuild\`, without what comes before, between and behind them, (c) and (d) scripts as people write them, whole, (e) the load into a null sink, (f) \`COPY\` alone, (g) the replay, (i) what a
  writing application notices, (j) growth, (k) several nodes, (p) other tools.`;
