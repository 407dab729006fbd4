import { MultiBar, type SingleBar } from 'cli-progress';
import type { ProgressFigures } from '../../core/events.ts';
import { formatBytes, formatCount, formatCounted, formatDuration } from '../config/quantity.ts';

/** Two lines at the bottom of the terminal that are redrawn in place: the load, and what the replay does beside it. */
export class LiveBlock {
  readonly #stream: NodeJS.WritableStream;
  #bars: MultiBar | null = null;
  #load: SingleBar | null = null;
  #replay: SingleBar | null = null;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  show(phase: string, figures: ProgressFigures): void {
    if (this.#bars === null) this.#start();
    this.#load?.update(Math.round(figures.share * 1000), {
      phase: phase.padEnd(8),
      text: phase === 'load' ? loadText(figures) : changesText(figures),
    });
    this.#replay?.update(0, { text: replayText(figures) });
  }

  /** Removes the block, so that a lasting line can be written; the next `show` draws it again below. */
  clear(): void {
    this.#bars?.stop();
    this.#bars = null;
  }

  #start(): void {
    // `gracefulExit` would take SIGINT and SIGTERM away from us (cli-progress 3.11.2, changelog).
    const options = { stream: this.#stream, clearOnComplete: true, hideCursor: true, gracefulExit: false, barsize: 26, linewrap: false };
    this.#bars = new MultiBar({ ...options, barCompleteChar: '=', barIncompleteChar: ' ', barGlue: '>' });
    this.#load = this.#bars.create(1000, 0, { phase: 'load', text: '' }, { format: ' ▸ {phase} [{bar}] {text}' });
    this.#replay = this.#bars.create(1, 0, { text: '' }, { format: '   replay   {text}' });
  }
}

export function loadText(figures: ProgressFigures): string {
  const total = figures.rowsTotal < 0 ? '' : `/~${formatCount(figures.rowsTotal)}`;
  const parts = [`${Math.floor(figures.share * 100)}%`, `${formatCount(figures.rows)}${total}`, `${formatCount(figures.rowsPerSecond)} docs/s`];
  if (figures.etaSeconds >= 0) parts.push(`ETA ${formatDuration(figures.etaSeconds * 1000)}`);
  return parts.join('  ');
}

/** Behind the load no rows are read any more. */
export function changesText({ changesPerSecond }: ProgressFigures): string {
  return `${formatCount(changesPerSecond)} changes/s`;
}

export function replayText(figures: ProgressFigures): string {
  const wal = `slot WAL ${formatBytes(BigInt(figures.slotWalBytes))} of ${formatBytes(BigInt(figures.slotWalLimitBytes))}`;
  const parts = [`lag ${formatBytes(BigInt(figures.lagBytes))}`, `${formatCounted(figures.changes, 'change')} applied`, wal];
  parts.push(`rejected ${figures.rejected}`, `retries ${figures.retries}`);
  if (figures.throttle !== '') parts.push(`waiting: ${figures.throttle}`);
  return parts.join(' · ');
}
