import { configJsonSchema } from '../config/schema.ts';
import { eventsJsonSchema } from '../output/event-schema.ts';

/** `realign schema [--events]`: the JSON Schema, as text for stdout. */
export function schemaText(events: boolean): string {
  return `${JSON.stringify(events ? eventsJsonSchema() : configJsonSchema(), null, 2)}\n`;
}
