import { Failure } from '../core/failure.ts';
import { type BuildState, STATE_FORMAT } from '../core/plan/build-state.ts';
import { isIndexOf } from '../core/plan/names.ts';
import type { Generation, GenerationCopy, OurIndices, UnreadableState } from '../phases/sink-ports.ts';
import type { Http } from './connect.ts';

/** Index names may have 255 bytes and a request line 4 KiB (`http.max_initial_line_length`). */
const NAMES_PER_REQUEST = 10;

/** Replaces `_meta` whole; the server does not merge it (docs/servers.md E21). Nothing but our state is kept there. */
export async function writeState(http: Http, index: string, state: BuildState): Promise<void> {
  await http.json({
    what: `writing the state of ${index}`,
    method: 'PUT',
    path: `/${encodeURIComponent(index)}/_mapping`,
    body: { _meta: { realign: state } },
  });
}

/**
 * All indices that carry a state of their own for this alias, newest first. Throws `state-unknown` for one that this version cannot read: nothing may
 * be decided about an alias without all of its builds.
 */
export async function listGenerations(http: Http, alias: string): Promise<readonly Generation[]> {
  const own = [...(await readRawStates(http))].filter(([index, raw]) => !isCopy(index, raw) && aliasOf(raw) === alias);
  return generationsOf(http, new Map(own.map(([index, raw]) => [index, parseState(raw, index)])));
}

/** The indices that carry a state of ours, of every alias, sorted by what they are, in one look. */
export async function listOurIndices(http: Http): Promise<OurIndices> {
  const states = new Map<string, BuildState>();
  const copies: GenerationCopy[] = [];
  const unreadable: UnreadableState[] = [];
  for (const [index, raw] of await readRawStates(http)) {
    if (!isReadable(raw)) unreadable.push(unreadableState(index, raw));
    else if (isCopy(index, raw)) copies.push({ index, alias: raw.alias, build: raw.build });
    else states.set(index, raw);
  }
  return { generations: await generationsOf(http, states), unreadable, copies };
}

function unreadableState(index: string, raw: unknown): UnreadableState {
  const { format, slot } = (raw ?? {}) as { readonly [key: string]: unknown };
  return { index, alias: aliasOf(raw), slot: typeof slot === 'string' ? slot : null, format: JSON.stringify(format) ?? 'none' };
}

/** Their UUIDs and aliases besides; newest first. */
async function generationsOf(http: Http, states: ReadonlyMap<string, BuildState>): Promise<readonly Generation[]> {
  const names = [...states.keys()];
  const generations: Generation[] = [];
  for (let at = 0; at < names.length; at += NAMES_PER_REQUEST) {
    generations.push(...(await readMarks(http, names.slice(at, at + NAMES_PER_REQUEST), states)));
  }
  return generations.sort((a, b) => compareNewestFirst(a.state.startedAt, b.state.startedAt));
}

/** What cannot be read is not called a copy: its version may name indices in another way. */
export function isCopy(index: string, raw: unknown): boolean {
  return isReadable(raw) && !isIndexOf(index, raw);
}

/** Our state on one index, unchecked; undefined if it carries none or does not exist. */
export async function readRawState(http: Http, index: string): Promise<unknown> {
  const answer = await http.json(
    { what: `reading the mapping of ${index}`, method: 'GET', path: `/${encodeURIComponent(index)}/_mapping`, query: STATE_ONLY },
    [404],
  );
  return (answer as Mappings | null)?.[index]?.mappings._meta.realign;
}

/** Checks that `value` is a state of the format we write; throws `state-unknown` naming the index. */
export function parseState(value: unknown, index: string): BuildState {
  if (isReadable(value)) return value;
  const { format } = (value ?? {}) as { readonly [key: string]: unknown };
  throw new Failure(
    'state-unknown',
    `the index ${index} carries a build state of format ${JSON.stringify(format) ?? 'none'}; this version reads format ${STATE_FORMAT}`,
    {
      hint: 'Use the version of realign that made it, or delete that index by hand if it is not in use.',
    },
  );
}

function isReadable(value: unknown): value is BuildState {
  const { format, build, alias, startedAt } = (value ?? {}) as { readonly [key: string]: unknown };
  return format === STATE_FORMAT && typeof build === 'string' && typeof alias === 'string' && typeof startedAt === 'string';
}

function aliasOf(raw: unknown): string | null {
  const { alias } = (raw ?? {}) as { readonly alias?: unknown };
  return typeof alias === 'string' ? alias : null;
}

interface Mappings {
  readonly [index: string]: { readonly mappings: { readonly _meta: { readonly realign: unknown } } };
}

const STATE_ONLY = { filter_path: '*.mappings._meta.realign' };

async function readRawStates(http: Http): Promise<ReadonlyMap<string, unknown>> {
  const answer = await http.json({
    what: 'looking for indices of ours',
    method: 'GET',
    path: '/_all/_mapping',
    query: { expand_wildcards: 'all', ...STATE_ONLY },
  });
  return new Map(Object.entries(answer as Mappings).map(([index, { mappings }]) => [index, mappings._meta.realign]));
}

interface Marks {
  readonly [index: string]: { readonly aliases: { readonly [alias: string]: unknown }; readonly settings: { readonly [name: string]: string } };
}

/** An index deleted in between is left out. */
async function readMarks(http: Http, names: readonly string[], states: ReadonlyMap<string, BuildState>): Promise<readonly Generation[]> {
  const answer = await http.json({
    what: 'reading the aliases of our indices',
    method: 'GET',
    path: `/${names.map(encodeURIComponent).join(',')}`,
    query: { features: 'aliases,settings', flat_settings: 'true', ignore_unavailable: 'true', expand_wildcards: 'all' },
  });
  const generations: Generation[] = [];
  for (const [index, marks] of Object.entries(answer as Marks)) {
    const state = states.get(index);
    const uuid = marks.settings['index.uuid'];
    if (state !== undefined && uuid !== undefined) generations.push({ index, uuid, state, aliases: Object.keys(marks.aliases) });
  }
  return generations;
}

function compareNewestFirst(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? 1 : -1;
}
