import { counted } from '../core/counted.ts';
import { Failure } from '../core/failure.ts';
import type { CreateIndexRequest } from '../phases/sink-ports.ts';
import { assertUnindexable } from './bulk.ts';
import type { Http } from './connect.ts';
import { type Mapping, mappingDifferences } from './created-index.ts';
import { waitForHealth } from './health.ts';
import { type FlatSettings, fetchSettings, loadSettings, settingsThatDiffer } from './settings.ts';
import { isCopy, parseState, readRawState } from './state.ts';

const NO_PRIMARY_HINT =
  'See GET _cluster/allocation/explain: most often the disks are above the high watermark, or allocation is disabled. The same command continues once it is mended.';

/**
 * Makes the generation with the hidden build alias and our state in one call, then checks that the server made what was asked: a template
 * may have attached the live alias, fields or settings (docs/servers.md E26). Such an index is deleted again, empty as it is, and
 * `preflight-refused` thrown. An index of the same name and build (a lost answer) is adopted.
 */
export async function createIndex(http: Http, request: CreateIndexRequest): Promise<{ readonly uuid: string }> {
  assertUnindexable(request.buildAlias);
  const { index } = request;
  const settings = loadSettings(request.settings);
  const created = await putIndex(http, request, settings);
  if (created === null) await assertOurs(http, request);
  const made = await readMade(http, index);
  const problems = problemsOf(request, settings, made);
  if (problems.length > 0) await refuseAndDelete(http, index, made.uuid, problems);
  // Above the high watermark the index is made but has no primary: HTTP 200, and every bulk would wait for it (docs/servers.md E20).
  if (await waitForHealth(http, index, 'yellow', http.requestTimeoutMs)) return { uuid: made.uuid };
  throw new Failure('sink-blocked', `the index ${index} was made, but its primary shards are not allocated`, { hint: NO_PRIMARY_HINT });
}

/** Null if there is no such concrete index; an alias has no UUID. */
export async function indexUuid(http: Http, index: string): Promise<string | null> {
  const uuid = (await fetchSettings(http, index))?.['index.uuid'];
  return typeof uuid === 'string' ? uuid : null;
}

interface StoreStats {
  readonly _all?: { readonly primaries: { readonly store: { readonly size_in_bytes: number } } };
}

/** Bytes of the primary shards on disk; null if the index is gone or may not be seen. */
export async function indexBytes(http: Http, index: string): Promise<number | null> {
  const path = `/${encodeURIComponent(index)}/_stats/store`;
  const query = { filter_path: '_all.primaries.store.size_in_bytes' };
  const stats = await http.json({ what: `reading the size of ${index}`, method: 'GET', path, query }, [403, 404]);
  return (stats as StoreStats | null)?._all?.primaries.store.size_in_bytes ?? null;
}

/**
 * Deletes exactly this index; gone already is fine. Throws `sink-refused` if it is another index by that name or carries no state of its own,
 * `alias-changed` if its alias is on it: what readers use is never deleted.
 */
export async function deleteIndex(http: Http, index: string, uuid: string): Promise<void> {
  const made = await readMade(http, index, true);
  if (made === null) return;
  if (made.uuid !== uuid || made.state === undefined || isCopy(index, made.state)) {
    throw new Failure('sink-refused', `the index ${index} is not the one this tool made, so it is not deleted`, {
      hint: `Expected UUID ${uuid}, found ${made.uuid}.`,
    });
  }
  const { alias } = made.state as { readonly alias?: unknown };
  if (typeof alias === 'string' && made.aliases.includes(alias)) {
    throw new Failure('alias-changed', `the index ${index} serves the alias ${alias}, so it is not deleted`, {
      hint: 'See `realign status`; roll back or swap first.',
    });
  }
  await http.json({ what: `deleting the index ${index}`, method: 'DELETE', path: pathOf(index) }, ['index_not_found_exception']);
}

/** Throws `target-vanished` unless the index is there with exactly this UUID. */
export async function requireUuid(http: Http, index: string, uuid: string): Promise<void> {
  if ((await indexUuid(http, index)) === uuid) return;
  throw new Failure('target-vanished', `the index ${index} was deleted or replaced`, {
    hint: 'See `realign status`, then run the same command again.',
  });
}

/** The live mapping; throws `target-vanished` if the index is gone. */
export async function readMapping(http: Http, index: string): Promise<Mapping> {
  return (await readMade(http, index)).mapping;
}

/**
 * Makes everything written so far visible to searches; throws `sink-overloaded` if a shard failed. A missing primary is not told here
 * (docs/servers.md E28): the reads that follow check every shard.
 */
export async function refresh(http: Http, index: string): Promise<void> {
  const answer = await http.json({ what: `refreshing ${index}`, method: 'POST', path: `${pathOf(index)}/_refresh` });
  const { failed } = (answer as { readonly _shards: { readonly failed: number } })._shards;
  if (failed > 0)
    throw new Failure('sink-overloaded', `${counted(failed, 'shard')} of ${index} not refreshed`, {
      hint: 'See GET _cluster/allocation/explain; run the same command again.',
    });
}

/** A body that the server refuses made nothing, and no time mends it: that is a mistake of the config, which a preflight without the privilege to try it cannot see. */
async function putIndex(http: Http, request: CreateIndexRequest, settings: FlatSettings): Promise<unknown> {
  const { index } = request;
  const call = { what: `creating the index ${index}`, method: 'PUT', path: pathOf(index), body: bodyOf(request, settings) } as const;
  try {
    return await http.json(call, ['resource_already_exists_exception']);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'sink-refused') throw error;
    throw new Failure('preflight-refused', error.message, {
      hint: 'Correct the mapping or the settings in the config; the index was not made.',
      cause: error,
    });
  }
}

function bodyOf(request: CreateIndexRequest, settings: FlatSettings): object {
  return {
    settings,
    mappings: { ...request.mapping, _meta: { realign: request.state } },
    aliases: { [request.buildAlias]: { is_hidden: true } },
  };
}

interface Made {
  readonly uuid: string;
  readonly aliases: readonly string[];
  readonly mapping: Mapping;
  readonly settings: FlatSettings;
  /** `_meta.realign`, unchecked. */
  readonly state: unknown;
}

interface RawIndex {
  readonly aliases: { readonly [alias: string]: unknown };
  readonly mappings: Mapping & { readonly _meta?: { readonly realign?: unknown } };
  readonly settings: FlatSettings;
}

async function readMade(http: Http, index: string): Promise<Made>;
async function readMade(http: Http, index: string, orNull: true): Promise<Made | null>;
async function readMade(http: Http, index: string, orNull = false): Promise<Made | null> {
  const answer = await http.json({ what: `reading the index ${index}`, method: 'GET', path: pathOf(index), query: { flat_settings: 'true' } }, [404]);
  const raw = answer === null ? undefined : (answer as { readonly [index: string]: RawIndex })[index];
  if (raw === undefined && orNull) return null;
  if (raw === undefined) throw new Failure('target-vanished', `the index ${index} is gone`, { hint: 'Somebody deleted it; start a new build.' });
  return {
    uuid: String(raw.settings['index.uuid']),
    aliases: Object.keys(raw.aliases),
    mapping: raw.mappings,
    settings: raw.settings,
    state: raw.mappings._meta?.realign,
  };
}

function problemsOf(request: CreateIndexRequest, settings: FlatSettings, made: Made): readonly string[] {
  const foreign = made.aliases.filter((alias) => alias !== request.buildAlias);
  const settingNames = settingsThatDiffer(settings, made.settings);
  return [
    ...(foreign.length === 0 ? [] : [`the aliases ${foreign.join(', ')} were attached`]),
    ...(made.aliases.includes(request.buildAlias) ? [] : [`the build alias ${request.buildAlias} is missing`]),
    ...(settingNames.length === 0 ? [] : [`the settings ${settingNames.join(', ')} are not what was asked`]),
    ...mappingDifferences(request.mapping, made.mapping),
  ];
}

async function refuseAndDelete(http: Http, index: string, uuid: string, problems: readonly string[]): Promise<never> {
  // Not `deleteIndex`, which would refuse: the live alias being on it is the very reason. The name is exact and the UUID just read.
  if ((await indexUuid(http, index)) === uuid)
    await http.json({ what: `deleting the index ${index}`, method: 'DELETE', path: pathOf(index) }, ['index_not_found_exception']);
  const shown = problems.slice(0, 10).join('; ');
  throw new Failure('preflight-refused', `the new index ${index} was not made as asked and is deleted again: ${shown}`, {
    hint: 'An index template matches its name: see GET _index_template and GET _template, and exclude these indices from it.',
  });
}

async function assertOurs(http: Http, request: CreateIndexRequest): Promise<void> {
  const raw = await readRawState(http, request.index);
  if (raw !== undefined && parseState(raw, request.index).build === request.state.build) return;
  throw new Failure('preflight-refused', `an index ${request.index} exists already and is not of this build`, {
    hint: 'Run the command again: a new build has a new name.',
  });
}

function pathOf(index: string): string {
  return `/${encodeURIComponent(index)}`;
}
