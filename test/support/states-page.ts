import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'states.md'), 'utf8');

/** The rows of the table of docs/states.md below a heading, as lists of cells without code marks. */
export function tableUnder(heading: string): readonly (readonly string[])[] {
  const section = page.split(`## ${heading}`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows
    .slice(1)
    .filter((line) => !/^\|\s*---/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}
