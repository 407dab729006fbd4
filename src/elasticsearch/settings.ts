import { Failure } from '../core/failure.ts';
import type { IndexSettings } from '../phases/sink-ports.ts';
import type { Http } from './connect.ts';

/** Settings by full dotted name (`index.number_of_replicas`); null means unset. */
export type FlatSettings = { readonly [name: string]: unknown };

/** Nested, dotted, with or without `index.` in front: all spellings of the API become one. */
export function flattenSettings(settings: IndexSettings): FlatSettings {
  const flat: { [name: string]: unknown } = {};
  flattenInto(flat, '', settings);
  return flat;
}

/**
 * What the index is made with: the wanted settings, but built for loading. Everything a template could bring in is set explicitly, because
 * the explicit value wins (docs/servers.md E26).
 */
export function loadSettings(wanted: IndexSettings): FlatSettings {
  return { 'index.mapping.coerce': false, ...flattenSettings(wanted), ...LOAD_SETTINGS };
}

const LOAD_SETTINGS: FlatSettings = {
  'index.number_of_replicas': 0,
  'index.auto_expand_replicas': 'false',
  'index.refresh_interval': '-1',
  // A seat belt only: tombstones are memory (docs/servers.md E3); `-1` would mean none at all (E4).
  'index.gc_deletes': '12h',
  // `async` loses acknowledged writes on a crash, and the slot is acknowledged on the strength of them (docs/servers.md E16).
  'index.translog.durability': 'request',
  // A final pipeline cannot be switched off by the request (docs/servers.md E15) and would change documents.
  'index.final_pipeline': '_none',
};

/** Sets replicas and refresh to the wanted values, checks that they took, and flushes. Nothing that keeps the build safe is let go yet. */
export async function restoreSettings(http: Http, index: string, wanted: IndexSettings): Promise<void> {
  const flat = flattenSettings(wanted);
  await putSettings(http, index, {
    // An explicit 1 and not null: null goes to the built-in default, whatever the index had before (docs/servers.md E17).
    'index.number_of_replicas': flat['index.number_of_replicas'] ?? 1,
    'index.auto_expand_replicas': flat['index.auto_expand_replicas'] ?? 'false',
    // Unset is a value of its own here: only then does an idle index stop refreshing (docs/servers.md E17).
    'index.refresh_interval': flat['index.refresh_interval'] ?? null,
  });
  await http.json({ what: `flushing ${index}`, method: 'POST', path: `/${encodeURIComponent(index)}/_flush` });
}

/** Lets go of what only the build needed. */
export async function finishSettings(http: Http, index: string, wanted: IndexSettings): Promise<void> {
  const flat = flattenSettings(wanted);
  await putSettings(http, index, {
    'index.gc_deletes': flat['index.gc_deletes'] ?? null,
    'index.translog.durability': flat['index.translog.durability'] ?? null,
    'index.final_pipeline': flat['index.final_pipeline'] ?? '_none',
  });
}

/** What a rebuild keeps of the live index: shards, replicas, refresh interval; named without `index.`. */
export async function readSettings(http: Http, index: string): Promise<IndexSettings> {
  const flat = await fetchSettings(http, index);
  if (flat === null)
    throw new Failure('target-vanished', `there is no index ${index}`, {
      hint: 'The live index was deleted meanwhile; look at the alias, then run the command again.',
    });
  const kept: { [name: string]: unknown } = {};
  for (const name of KEPT) {
    const value = flat[`index.${name}`];
    if (value !== undefined && value !== 'false') kept[name] = value;
  }
  return kept;
}

const KEPT = ['number_of_shards', 'number_of_replicas', 'auto_expand_replicas', 'refresh_interval'] as const;

/** All explicit settings of one concrete index, or null if there is none of that name. */
export async function fetchSettings(http: Http, index: string): Promise<FlatSettings | null> {
  const answer = await http.json(
    { what: `reading the settings of ${index}`, method: 'GET', path: `/${encodeURIComponent(index)}/_settings`, query: { flat_settings: 'true' } },
    [404],
  );
  const found = answer as { readonly [index: string]: { readonly settings: FlatSettings } } | null;
  // Asked by an alias, the server answers under the concrete name.
  return found !== null && Object.hasOwn(found, index) ? (found[index]?.settings ?? null) : null;
}

/** The names among `asked` whose value in `found` is another. */
export function settingsThatDiffer(asked: FlatSettings, found: FlatSettings): readonly string[] {
  return Object.keys(asked).filter((name) => textOf(asked[name]) !== textOf(found[name]));
}

async function putSettings(http: Http, index: string, settings: FlatSettings): Promise<void> {
  await http.json({ what: `changing the settings of ${index}`, method: 'PUT', path: `/${encodeURIComponent(index)}/_settings`, body: settings });
  const found = await fetchSettings(http, index);
  const wrong = found === null ? Object.keys(settings) : settingsThatDiffer(settings, found);
  if (wrong.length === 0) return;
  throw new Failure('sink-refused', `the settings ${wrong.join(', ')} of ${index} did not take`, {
    hint: 'Something else changes the settings of this index; find it (ILM, an operator), then run the command again.',
  });
}

function flattenInto(flat: { [name: string]: unknown }, prefix: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, member] of Object.entries(value)) flattenInto(flat, prefix === '' ? name : `${prefix}.${name}`, member);
  } else {
    flat[prefix.startsWith('index.') ? prefix : `index.${prefix}`] = value;
  }
}

/** Settings are text on the server: `3` comes back as `"3"`, and null not at all. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(textOf).join('\n') : String(value);
}
