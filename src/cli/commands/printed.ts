import type { Flags } from '../arguments.ts';
import { configJsonSchema } from '../config/schema.ts';
import type { CommandName } from '../flags.ts';
import { eventsJsonSchema } from '../output/event-schema.ts';
import { reportJsonSchema } from '../report/report-schema.ts';
import { completionText } from './completion.ts';
import { explainText } from './explain.ts';

/** Commands whose result is a text that needs no config and no server. */
export type PrintedCommand = Extract<CommandName, 'schema' | 'completion' | 'explain'>;

/** The text for stdout. Throws `usage`. */
export function printedText(command: PrintedCommand, flags: Flags, words: readonly string[]): string {
  const [word = ''] = words;
  switch (command) {
    case 'schema':
      return schemaText(flags);
    case 'completion':
      return completionText(word);
    case 'explain':
      return explainText(word);
  }
}

function schemaText({ events, report }: Flags): string {
  const schema = report === true ? reportJsonSchema() : events === true ? eventsJsonSchema() : configJsonSchema();
  return `${JSON.stringify(schema, null, 2)}\n`;
}
