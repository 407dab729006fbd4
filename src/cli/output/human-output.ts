import type { ProgressFigures, RunEvent, VerifyReport } from '../../core/events.ts';
import { formatCounted, formatDuration } from '../config/quantity.ts';
import { buildOf } from './json-output.ts';
import type { LiveBlock } from './live-block.ts';
import type { CommandEvent, Output, OutputEvent } from './output-event.ts';
import type { Paint } from './paint.ts';
import { keyValueLine, progressPairs } from './plain-lines.ts';
import { readableEvent } from './readable-event.ts';
import { resultLines } from './result-text.ts';
import { tunedText } from './tuned-text.ts';
import { differenceLines, verifySummary } from './verify-text.ts';

export interface HumanOutputRequest {
  /** Writes to stdout: the result. */
  readonly result: (text: string) => void;
  /** Writes to stderr: the narration and failures. */
  readonly narration: (text: string) => void;
  /** The live block of a terminal; null means plain `key=value` lines. */
  readonly live: LiveBlock | null;
  readonly resultPaint: Paint;
  readonly paint: Paint;
  /** Gives the commands in a text what they need to be pasted. */
  readonly complete: (text: string) => string;
  /** Only the result and failures. */
  readonly quiet: boolean;
}

interface LastProgress {
  readonly phase: string;
  readonly figures: ProgressFigures;
}

const SHOWN_REJECTS = 10;

/** The transcript for people: on a terminal one line a phase and a live block, elsewhere `key=value` lines. */
export class HumanOutput implements Output {
  readonly #request: HumanOutputRequest;
  /** By index: with --parallel several are under way. */
  readonly #last = new Map<string | null, LastProgress>();
  /** What the next `phase.finished` can tell if the phase itself gives no detail. */
  #detail = '';
  #notes: readonly string[] = [];
  #rejects = 0;

  constructor(request: HumanOutputRequest) {
    this.#request = request;
  }

  emit(index: string | null, told: OutputEvent): void {
    const event = readableEvent(told);
    if (event.type === 'build.started') this.#rejects = 0;
    if (isCommandEvent(event)) this.#command(index, event);
    else if (event.type === 'progress') this.#progress(index, event.phase, event);
    else if (event.type === 'verify.result' && !event.passed) this.#verifyFailed(index, event);
    else if (!this.#request.quiet) this.#narrate(index, event);
    if (event.type === 'phase.finished') {
      this.#last.delete(index);
      this.#detail = '';
      this.#notes = [];
    } else this.#detail = detailOf(event) ?? this.#detail;
  }

  /** Called every 30 s: outside a terminal it says where the run is, even if nothing moves. */
  tick(): void {
    if (this.#request.live !== null || this.#request.quiet) return;
    for (const [index, { phase, figures }] of this.#last) {
      this.#request.narration(`${keyValueLine({ index, phase, ...progressPairs(phase, figures) })}\n`);
    }
  }

  close(): void {
    this.#request.live?.clear();
  }

  #narrate(index: string | null, event: RunEvent): void {
    if (event.type === 'verify.result') this.#notes = event.blindSpots.map((sentence) => `   not seen: ${sentence}`);
    if (event.type === 'rejected' && ++this.#rejects > SHOWN_REJECTS) this.#oncePastRejects();
    else if (this.#request.live === null) this.#plain(index, event);
    else {
      const line = this.#terminalLine(index, event);
      if (line !== null) this.#lasting(line);
    }
  }

  #progress(index: string | null, phase: string, figures: ProgressFigures): void {
    this.#last.set(index, { phase, figures });
    if (!this.#request.quiet) this.#request.live?.show(phase, figures);
  }

  #command(index: string | null, event: CommandEvent): void {
    const { paint, resultPaint, narration, result, quiet } = this.#request;
    this.close();
    const isNarration = event.type === 'error';
    const lines = resultLines(index ?? '', event, isNarration ? paint : resultPaint);
    if (lines.length === 0 || (quiet && event.type === 'target')) return;
    (isNarration ? narration : result)(`${lines.join('\n')}\n`);
  }

  #verifyFailed(index: string | null, report: VerifyReport): void {
    const { paint, live } = this.#request;
    this.#lasting(`${paint.bad(' ✗ verify')}           ${verifySummary(report)}`);
    for (const line of differenceLines(index ?? '', report, live !== null)) this.#lasting(`   ${line}`);
  }

  #oncePastRejects(): void {
    if (this.#rejects === SHOWN_REJECTS + 1) this.#lasting(' ! further rejected rows are only counted here; the rejects file has all of them');
  }

  /** A line that stays: the live block makes room for it. */
  #lasting(line: string): void {
    this.#request.live?.clear();
    this.#request.narration(`${line}\n`);
  }

  #terminalLine(index: string | null, event: RunEvent): string | null {
    const { paint, complete } = this.#request;
    switch (event.type) {
      case 'build.started':
        return `${paint.strong(`build ${buildOf(event.generation)}`)}   ${event.resumed ? 'resumed   ' : ''}${paint.faint(complete(`(another terminal: realign status ${index} · pause: realign ctl ${index} pause · Ctrl-C is safe)`))}`;
      case 'phase.finished':
        return [`${paint.good(' ✓')} ${event.phase.padEnd(16)} ${this.#withDuration(event)}`, ...this.#notes.map(paint.faint)].join('\n');
      case 'rejected':
        return `${paint.warn(' !')} ${'rejected'.padEnd(16)} ${index}/${event.id}   ${event.column === undefined ? '' : `column ${event.column}: `}${event.reason}`;
      case 'warning':
        return `${paint.warn(' !')} ${'warning'.padEnd(16)} ${event.message}${event.hint === '' ? '' : `\n   fix: ${event.hint}`}`;
      case 'tuned':
        return paint.faint(tunedText(event));
      case 'throttle':
      case 'retry':
      case 'drift':
      case 'swap':
      case 'phase.started':
      case 'progress':
      case 'verify.result':
        return null;
    }
  }

  #withDuration(event: Extract<RunEvent, { type: 'phase.finished' }>): string {
    const detail = event.detail === '' ? this.#detail : event.detail;
    const duration = formatDuration(event.durationMs);
    return detail === '' ? duration : `${detail}   ${this.#request.paint.faint(duration)}`;
  }

  /** What a phase came to: its last progress line may be half a minute old, or there was none. */
  #finalFigures(index: string | null, event: RunEvent): { readonly rows?: number; readonly changes?: number } {
    const last = this.#last.get(index);
    if (event.type !== 'phase.finished' || last?.phase !== event.phase) return {};
    return event.phase === 'load' ? { rows: last.figures.rows } : { changes: last.figures.changes };
  }

  #plain(index: string | null, event: RunEvent): void {
    if (event.type === 'retry' || event.type === 'drift') return;
    const { type, ...rest } = event;
    // Lists are for programs (`--output json`) and for the lines about differences.
    const pairs = Object.entries(rest).flatMap(([key, value]) => (isPlain(value) ? [[snakeCase(key), wholeIfTime(key, value)] as const] : []));
    this.#request.narration(`${keyValueLine({ index, event: type, ...Object.fromEntries(pairs), ...this.#finalFigures(index, event) })}\n`);
  }
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null;
}

function wholeIfTime(key: string, value: string | number | boolean | null): string | number | boolean | null {
  return key.endsWith('Ms') && typeof value === 'number' ? Math.round(value) : value;
}

function detailOf(event: OutputEvent): string | null {
  if (event.type === 'verify.result') return verifySummary(event);
  if (event.type === 'swap') return `${event.alias}: ${event.from ?? '(nothing)'} → ${event.to}`;
  if (event.type !== 'progress') return event.type === 'phase.started' ? '' : null;
  return event.phase === 'load' ? formatCounted(event.rows, 'row') : `${formatCounted(event.changes, 'change')} applied`;
}

const COMMAND_EVENTS = ['version', 'versions', 'target', 'finding', 'plan', 'status', 'audit.result', 'removed', 'error', 'summary'];

function isCommandEvent(event: OutputEvent): event is CommandEvent {
  return COMMAND_EVENTS.includes(event.type);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
