import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml';
import type { Environment } from './environment.ts';
import { interpolate } from './interpolate.ts';
import type { ConfigPath, Locator, Problems } from './problems.ts';

/** A parsed YAML file that still knows where everything was written. */
export interface YamlSource extends Locator {
  /** Plain values, references replaced. */
  readonly value: unknown;
  /** Line and column of a key under a path. */
  locateKey(path: ConfigPath, key: string): { readonly line: number; readonly column: number };
  /** The scalar as it stands in the file (references not replaced, so that no secret shows), or null for lists and maps. */
  written(path: ConfigPath): string | null;
}

/** Parses the text, replaces `${…}` in values, and adds every mistake of either kind to `problems`. */
export function parseYaml(text: string, environment: Environment, problems: Problems): YamlSource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  reportSyntax(document, text, lines, problems);
  replaceReferences(document, environment, (offset, message) => {
    const { line, col } = lines.linePos(offset);
    problems.addAt(line, col, message);
  });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  return {
    value: document.errors.length > 0 ? null : document.toJS({ maxAliasCount: 100 }),
    locate: (path) => at(placeOf(document, path)),
    locateKey: (path, key) => at(keyAt(document, path, key)?.range?.[0] ?? nodeAt(document, path)?.range?.[0] ?? 0),
    written(path) {
      const node = document.getIn(path, true);
      if (!isScalar(node) || !node.range) return null;
      return text.slice(node.range[0], node.range[1]);
    },
  };
}

/** Errors of syntax: the first one, because those after it mostly follow from it. Doubled keys stand for themselves. */
function reportSyntax(document: Document, text: string, lines: LineCounter, problems: Problems): void {
  const broken = document.errors.find((error) => error.code !== 'DUPLICATE_KEY');
  for (const error of document.errors) {
    if (error.code !== 'DUPLICATE_KEY' && error !== broken) continue;
    const { line, col } = lines.linePos(error.pos[0]);
    const quote =
      error === broken && /[{[,:]\s*\$\{/.test(text.split('\n')[line - 1] ?? '') ? ' (inside { } and [ ] a reference needs quotes: "${NAME}")' : '';
    problems.addAt(line, col, `${error.message.replace(/\s+/g, ' ')}${quote}`);
  }
}

function replaceReferences(document: Document, environment: Environment, fail: (offset: number, message: string) => void): void {
  visit(document, {
    Scalar(key, node: Scalar) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const { text, problems } = interpolate(node.value, environment);
      for (const problem of problems) fail(node.range?.[0] ?? 0, problem);
      node.value = node.type === 'PLAIN' ? plainValue(text) : text;
    },
  });
}

/** An unquoted value is a number or boolean after the replacement just as it would be before (`keep: ${KEEP}`); quotes make it text. */
function plainValue(text: string): string | number | boolean {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

/** Where a mistake is shown: a scalar's own place, the key of a list or map. */
function placeOf(document: Document, path: ConfigPath): number {
  const node = nodeAt(document, path);
  const key = isCollection(node) && document.hasIn(path) && path.length > 0 ? keyAt(document, path.slice(0, -1), String(path.at(-1))) : null;
  return (key ?? node)?.range?.[0] ?? 0;
}

/** The node at the path, or the nearest node above it that exists. */
function nodeAt(document: Document, path: ConfigPath): Node | null {
  for (let length = path.length; length > 0; length--) {
    const parent = path.slice(0, length - 1);
    const node = document.getIn(path.slice(0, length), true) as Node | undefined;
    if (node !== undefined && !isAlias(node) && node?.range) return node;
    const key = keyAt(document, parent, String(path[length - 1]));
    if (key !== null) return key;
  }
  return document.contents;
}

function keyAt(document: Document, path: ConfigPath, name: string): Node | null {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isMap(map)) return null;
  const pair = map.items.find((candidate: Pair) => isPair(candidate) && isScalar(candidate.key) && String(candidate.key.value) === name);
  return (pair?.key as Node | undefined) ?? null;
}
