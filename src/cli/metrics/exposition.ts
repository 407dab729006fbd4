import type { Family } from './metric-families.ts';

/** One sample as it stands in a file. */
interface Line {
  readonly alias: string | null;
  readonly text: string;
}

interface Block {
  help: string;
  readonly lines: Line[];
}

/**
 * The text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats). One `HELP` and one `TYPE` for each family, its series together below them, none twice:
 * node_exporter drops the whole file otherwise.
 */
export function renderFamilies(families: readonly Family[]): string {
  return renderBlocks(new Map(families.map(({ name, help, series }) => [name, { help, lines: series.map((one) => lineOf(name, one)) }])));
}

/**
 * Puts new families into the text of a file that several commands write: series of other aliases stay, those of these aliases are replaced, but `lasting` families keep the old
 * value of an alias that has no new one.
 */
export function mergeFamilies(text: string, families: readonly Family[], lasting: ReadonlySet<string>, owned: (name: string) => boolean): string {
  const aliases = new Set(families.flatMap(({ series }) => series.map(({ labels }) => labels.alias)));
  const blocks = parseBlocks(text);
  for (const [name, block] of blocks) {
    const renewed = new Set(families.find((family) => family.name === name)?.series.map(({ labels }) => labels.alias));
    const replaced = (alias: string | null) => alias !== null && (renewed.has(alias) || (aliases.has(alias) && owned(name) && !lasting.has(name)));
    block.lines.splice(0, block.lines.length, ...block.lines.filter(({ alias }) => !replaced(alias)));
  }
  for (const { name, help, series } of families) {
    const block = blocks.get(name) ?? { help, lines: [] };
    block.help = help;
    block.lines.push(...series.map((one) => lineOf(name, one)));
    blocks.set(name, block);
  }
  return renderBlocks(blocks);
}

function renderBlocks(blocks: ReadonlyMap<string, Block>): string {
  const filled = [...blocks].filter(([, { lines }]) => lines.length > 0);
  return filled
    .map(([name, { help, lines }]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.map(({ text }) => `${text}\n`).join('')}`)
    .join('');
}

function lineOf(name: string, { labels, value }: Family['series'][number]): Line {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return { alias: labels.alias, text: `${name}{${pairs.join(',')}} ${value}` };
}

/** Only what this program has written is understood; other lines are not kept. */
function parseBlocks(text: string): Map<string, Block> {
  const blocks = new Map<string, Block>();
  for (const line of text.split('\n')) {
    const help = /^# HELP (realign_\w+) (.*)$/.exec(line);
    if (help?.[1] !== undefined) blocks.set(help[1], { help: help[2] ?? '', lines: [] });
    const sample = /^(realign_\w+)\{alias="((?:[^"\\]|\\.)*)"[^{}]*\} \S+$/.exec(line);
    if (sample?.[1] !== undefined) blocks.get(sample[1])?.lines.push({ alias: unescapeLabel(sample[2] ?? ''), text: line });
  }
  return blocks;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function unescapeLabel(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
