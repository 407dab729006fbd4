import assert from 'node:assert/strict';

const VOID = new Set(['meta', 'br', 'hr', 'img', 'input', 'link']);
const TAG = /<(\/?)([a-zA-Z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/y;
const REFERENCE = /&(?:#\d+|amp|lt|gt|quot|apos);/y;

/**
 * Fails unless the text is well formed: every element closed in order, every attribute in double quotes, no bare `<` or `&`. Stricter than HTML, the rules of XML: then nothing
 * in it can mean something else than it says. `raw` elements hold text that is not markup.
 */
export function assertWellFormed(markup: string, raw: ReadonlySet<string> = new Set()): void {
  const open: string[] = [];
  let at = 0;
  while (at < markup.length) {
    if (markup[at] === '<') at = readTag(markup, at, open, raw);
    else if (markup[at] === '&') at = match(REFERENCE, markup, at).end;
    else at++;
  }
  assert.deepEqual(open, [], 'elements left open');
}

function readTag(markup: string, at: number, open: string[], raw: ReadonlySet<string>): number {
  const { groups, end } = match(TAG, markup, at);
  const [closes, name = '', , closed] = groups;
  if (closes === '/') assert.equal(open.pop(), name, `</${name}> at ${at}`);
  else if (closed !== '/' && !VOID.has(name)) open.push(name);
  if (closes !== '/' && raw.has(name)) return markup.indexOf(`</${name}>`, end);
  return end;
}

function match(pattern: RegExp, markup: string, at: number): { readonly groups: readonly (string | undefined)[]; readonly end: number } {
  pattern.lastIndex = at;
  const found = pattern.exec(markup);
  if (found === null) assert.fail(`not well formed at ${at}: ${markup.slice(at, at + 80)}`);
  return { groups: found.slice(1), end: pattern.lastIndex };
}
