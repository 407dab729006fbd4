import { formatBytes, formatCount, formatCounted, formatDuration } from '../../config/quantity.ts';
import type { IndexReport } from '../report-schema.ts';
import { type Html, html } from './markup.ts';

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly note: string;
  /** Something to look at: marked by a sign and words too, not by colour alone. */
  readonly bad?: boolean;
}

/** The numbers one looks for first. */
export function tiles(run: IndexReport): Html {
  return html`<ul class="tiles">${[...verificationTiles(run), ...runTiles(run)].map(tile)}</ul>`;
}

function tile({ label, value, note, bad = false }: Tile): Html {
  return html`<li class="${bad ? 'tile bad' : 'tile'}"><span class="label">${label}</span><span class="value">${value}</span><span class="note">${bad ? '✗ ' : ''}${note}</span></li>`;
}

function verificationTiles({ verification, rejects }: IndexReport): readonly Tile[] {
  const rejected = {
    label: 'Rejected rows',
    value: formatCount(rejects.count),
    note: rejects.count === 0 ? 'none' : 'not in the index',
    bad: rejects.count > 0,
  };
  if (verification === null) return [rejected];
  const { rows, documents, differenceCount, partitions, partitionsEqual, sampled } = verification;
  const sampledAll = sampled.random + sampled.changed + sampled.deleted;
  // In sections the two are counted at many moments, the documents last.
  const sectioned = verification.audit?.sectioned === true;
  const gap = sectioned ? 0 : documents - (rows - verification.rejected);
  const gapNote = sectioned ? 'read so far' : gap === 0 ? 'as many as rows' : `${formatCount(Math.abs(gap))} too ${gap > 0 ? 'many' : 'few'}`;
  return [
    { label: 'Rows', value: formatCount(rows), note: 'in the table' },
    { label: 'Documents', value: formatCount(documents), note: gapNote, bad: gap !== 0 },
    { label: 'Differences', value: formatCount(differenceCount), note: differenceCount === 0 ? 'none found' : 'documents', bad: differenceCount > 0 },
    ...(partitions === 0
      ? []
      : [
          {
            label: 'Partitions equal',
            value: formatCount(partitionsEqual),
            note: `of ${formatCount(partitions)}, ${sectioned ? 'at the first look' : 'by checksum'}`,
            bad: partitionsEqual < partitions && differenceCount > 0,
          },
        ]),
    ...(sampledAll === 0 ? [] : [{ label: 'Sampled', value: formatCount(sampledAll), note: 'compared field by field' }]),
    rejected,
  ];
}

function runTiles({ durationMs, totals, phases }: IndexReport): readonly Tile[] {
  const time = { label: 'Duration', value: formatDuration(durationMs), note: 'from start to end' };
  const load = phases.findLast(({ phase }) => phase === 'load');
  if (load === undefined) return [time];
  const loadMs = load.durationMs ?? durationMs - load.startedMs;
  return [
    time,
    { label: 'Load', value: `${formatCount((totals.rows / Math.max(1, loadMs)) * 1000)}/s`, note: `${formatCounted(totals.rows, 'row')}, average` },
    ...bulkTile(totals),
    { label: 'Changes replayed', value: formatCount(totals.changes), note: `lag at most ${formatBytes(BigInt(totals.peakLagBytes))}` },
    { label: 'WAL held back', value: formatBytes(BigInt(totals.peakSlotWalBytes)), note: 'by the slot, at most' },
    { label: 'Retries', value: formatCount(totals.retries), note: 'of requests' },
  ];
}

function bulkTile({ bulks }: IndexReport['totals']): readonly Tile[] {
  if (bulks === null) return [];
  return [{ label: 'Bulk requests', value: `${bulks.jobs} × ${formatBytes(bulks.bytes)}`, note: 'at a time: found best' }];
}
