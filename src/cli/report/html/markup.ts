import { escapeHtml } from '../visible-text.ts';

/** A piece of HTML that is known to be well formed: only the `html` tag makes one, and it escapes everything else that is put in. */
export class Html {
  readonly #markup: string;

  constructor(pieces: readonly string[]) {
    this.#markup = pieces.join('');
  }

  toString(): string {
    return this.#markup;
  }
}

type Part = Html | string | number | null | readonly Html[];

/** Text put in is escaped (also right for attributes in double quotes), pieces of HTML and lists of them are not; null is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.flatMap((string, at) => [string, at < parts.length ? render(parts[at] ?? null) : '']));
}

/** A text of several lines, each on a line of its own. */
export function lines(text: string): readonly Html[] {
  return text.split('\n').map((line) => html`<div>${line}</div>`);
}

export const NOTHING = html``;

function render(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'string') return escapeHtml(part);
  return typeof part === 'number' ? String(part) : part.map(String).join('');
}
