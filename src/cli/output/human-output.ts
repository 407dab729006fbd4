import type { ProgressFigures, RunEvent, VerifyReport } from '../../core/events.ts';
import { formatDuration } from '../config/quantity.ts';
import { buildOf } from './json-output.ts';
import type { LiveBlock } from './live-block.ts';
import type { CommandEvent, Output, OutputEvent } from './output-event.ts';
import type { Paint } from './paint.ts';
import { keyValueLine, progressPairs } from './plain-lines.ts';
import { resultLines } from './result-text.ts';
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
  /** Only the result and failures. */
  readonly quiet: boolean;
}

interface LastProgress {
  readonly index: string | null;
  readonly phase: string;
  readonly figures: ProgressFigures;
}

const SHOWN_REJECTS = 10;

/** The transcript for people: on a terminal one line a phase and a live block, elsewhere `key=value` lines. */
export class HumanOutput implements Output {
  readonly #request: HumanOutputRequest;
  #last: LastProgress | null = null;
  #report: VerifyReport | null = null;
  #rejects = 0;

  constructor(request: HumanOutputRequest) {
    this.#request = request;
  }

  emit(index: string | null, event: OutputEvent): void {
    if (event.type === 'progress') return this.#progress(index, event.phase, event);
    if (event.type === 'verify.result') this.#report = event;
    if (event.type === 'phase.finished') this.#last = null;
    if (event.type === 'build.started') this.#rejects = 0;
    if (isCommandEvent(event)) return this.#command(event);
    if (event.type === 'verify.result' && !event.passed) return this.#verifyFailed(index, event);
    if (this.#request.quiet) return;
    if (event.type === 'rejected' && ++this.#rejects > SHOWN_REJECTS) return this.#oncePastRejects();
    if (this.#request.live === null) return this.#plain(index, event);
    const line = this.#terminalLine(index, event);
    if (line !== null) this.#lasting(line);
  }

  /** Called every 30 s: outside a terminal it says where the run is, even if nothing moves. */
  tick(): void {
    if (this.#request.live !== null || this.#request.quiet || this.#last === null) return;
    const { index, phase, figures } = this.#last;
    this.#request.narration(`${keyValueLine({ index, phase, ...progressPairs(figures) })}\n`);
  }

  close(): void {
    this.#request.live?.clear();
  }

  #progress(index: string | null, phase: string, figures: ProgressFigures): void {
    this.#last = { index, phase, figures };
    if (!this.#request.quiet) this.#request.live?.show(phase, figures);
  }

  #command(event: CommandEvent): void {
    const { paint, resultPaint, narration, result, quiet } = this.#request;
    this.close();
    const isNarration = event.type === 'error';
    const lines = resultLines(event, isNarration ? paint : resultPaint);
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
    const { paint } = this.#request;
    switch (event.type) {
      case 'build.started':
        return `${paint.strong(`build ${buildOf(event.generation)}`)}   ${event.resumed ? 'resumed   ' : ''}${paint.faint(`(another terminal: realign status ${index} · Ctrl-C is safe)`)}`;
      case 'phase.finished':
        return `${paint.good(' ✓')} ${event.phase.padEnd(16)} ${this.#detail(event)}`;
      case 'rejected':
        return `${paint.warn(' !')} ${'rejected'.padEnd(16)} ${index}/${event.id}   column ${event.column}: ${event.reason}`;
      case 'warning':
        return `${paint.warn(' !')} ${'warning'.padEnd(16)} ${event.message}${event.hint === '' ? '' : `\n   fix: ${event.hint}`}`;
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

  #detail(event: Extract<RunEvent, { type: 'phase.finished' }>): string {
    const detail = event.detail === '' && event.phase === 'verify' && this.#report !== null ? verifySummary(this.#report) : event.detail;
    const duration = formatDuration(event.durationMs);
    return detail === '' ? duration : `${detail}   ${this.#request.paint.faint(duration)}`;
  }

  #plain(index: string | null, event: RunEvent): void {
    const { type, ...rest } = event;
    if (type === 'retry' || type === 'drift' || type === 'verify.result') return;
    const pairs = Object.entries(rest).map(([key, value]) => [snakeCase(key), value as string | number | boolean | null] as const);
    this.#request.narration(`${keyValueLine({ index, event: type, ...Object.fromEntries(pairs) })}\n`);
  }
}

const COMMAND_EVENTS = ['version', 'target', 'finding', 'plan', 'status', 'removed', 'error', 'summary'];

function isCommandEvent(event: OutputEvent): event is CommandEvent {
  return COMMAND_EVENTS.includes(event.type);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
