import { escapedJson } from '../escaped-json.ts';
import { promised } from './event-schema.ts';
import type { Output, OutputEvent } from './output-event.ts';

/** NDJSON for programs: one event a line, numbered; the first is `version`, the last `summary`. Row values never get here. */
export class JsonOutput implements Output {
  readonly #write: (line: string) => void;
  readonly #date: () => Date;
  readonly #builds = new Map<string, string>();
  #seq = 0;

  constructor(write: (line: string) => void, date: () => Date) {
    this.#write = write;
    this.#date = date;
  }

  emit(index: string | null, event: OutputEvent): void {
    if (event.type === 'build.started' && index !== null) this.#builds.set(index, buildOf(event.generation));
    const build = index === null ? null : (this.#builds.get(index) ?? null);
    const { type, ...rest } = promised(withoutValues(event));
    const line = JSON.stringify({ type, time: this.#date().toISOString(), seq: this.#seq++, index, build, ...rest }, wholeMilliseconds);
    this.#write(`${escapedJson(line)}\n`);
  }

  close(): void {}
}

/** The build id is the last part of a generation's name. */
export function buildOf(generation: string): string {
  return generation.slice(generation.lastIndexOf('-') + 1);
}

/** The monotonic clock counts nanoseconds, which nobody wants to read or compare. */
function wholeMilliseconds(key: string, value: unknown): unknown {
  return key.endsWith('Ms') && typeof value === 'number' ? Math.round(value) : value;
}

function withoutValues(event: OutputEvent): OutputEvent {
  if (event.type !== 'verify.result') return event;
  return { ...event, differences: event.differences.map(({ id, kind, fields }) => ({ id, kind, fields })) };
}
