import { visible } from '../report/visible-text.ts';
import type { OutputEvent } from './output-event.ts';

/** Fields of events that are one line each: names and values of others. A message may have several. */
const ONE_LINE: ReadonlySet<string> = new Set(['id', 'ids', 'unsettled', 'field', 'fields', 'postgres', 'elasticsearch']);

/** The event as people may see it: no key, name or message in it can steer their terminal, which a key of the table could otherwise. */
export function readableEvent(event: OutputEvent): OutputEvent {
  return readable(event, '') as OutputEvent;
}

function readable(value: unknown, name: string): unknown {
  if (typeof value === 'string') return ONE_LINE.has(name) ? visible(value) : value.split('\n').map(visible).join('\n');
  if (Array.isArray(value)) return value.map((element: unknown) => readable(element, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([inner, part]: [string, unknown]) => [inner, readable(part, inner)]));
}
