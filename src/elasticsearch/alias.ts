import { Failure } from '../core/failure.ts';
import type { AliasProperties, AliasTarget, SwapOutcome, SwapRequest } from '../phases/sink-ports.ts';
import type { Http } from './connect.ts';

/** What the name means now. Throws `preflight-refused` if it is a data stream. */
export async function readAlias(http: Http, alias: string): Promise<AliasTarget> {
  const read = await readHolders(http, alias);
  if (read !== null) return read;
  const what = await whatElse(http, alias);
  if (what !== 'others') return { kind: what };
  // An alias that somebody made between the two looks, or a data stream.
  const meanwhile = await readHolders(http, alias);
  if (meanwhile !== null) return meanwhile;
  throw new Failure('preflight-refused', `${alias} is a data stream`, { hint: 'realign rebuilds indices behind an alias; choose another name.' });
}

/** Null if there is no such alias. */
async function readHolders(http: Http, alias: string): Promise<AliasTarget | null> {
  const path = `/_alias/${encodeURIComponent(alias)}`;
  const answer = await http.json({ what: `reading the alias ${alias}`, method: 'GET', path }, [404]);
  if (answer === null) return null;
  const indices = new Map<string, AliasProperties>();
  for (const [index, holder] of Object.entries(answer as Holders)) {
    const properties = holder.aliases[alias];
    if (properties !== undefined) indices.set(index, properties);
  }
  return indices.size === 0 ? { kind: 'none' } : { kind: 'alias', indices };
}

/**
 * Moves the alias in one atomic `_aliases` call that is a compare-and-swap: `remove` with `must_exist` fails whole if somebody else was
 * first (docs/servers.md E22; without it the alias ends on two indices). Judged by reading the alias back, never by the answer
 * alone: `acknowledged: false` and lost answers are applied all the same (docs/servers.md E23). Safe to run twice.
 */
export async function compareAndSwapAlias(http: Http, asked: SwapRequest): Promise<SwapOutcome> {
  const before = await readAlias(http, asked.alias);
  // With nothing to adopt the flag means nothing; and what was an alias at the start is not the index it was given for.
  const request = { ...asked, adopt: asked.adopt && asked.from === null && before.kind === 'index' };
  if (isExactly(before, request.to)) return 'swapped';
  if (!isAsExpected(before, request)) return 'alias-changed';
  const failure = await updateAliases(http, swapActions(request), `moving the alias ${request.alias}`);
  const after = await readAlias(http, request.alias);
  if (isExactly(after, request.to)) return 'swapped';
  if (holds(after, request.to)) await stepBack(http, request);
  else if (failure !== null && isAsExpected(after, request)) throw failure;
  return 'alias-changed';
}

/** Absent already is fine. */
export async function removeAlias(http: Http, index: string, alias: string): Promise<void> {
  const path = `/${encodeURIComponent(index)}/_alias/${encodeURIComponent(alias)}`;
  await http.json({ what: `removing the alias ${alias} from ${index}`, method: 'DELETE', path }, [404]);
}

interface Holders {
  readonly [index: string]: { readonly aliases: { readonly [alias: string]: AliasProperties } };
}

type Action = { readonly [action: string]: { readonly [key: string]: unknown } };

function swapActions(request: SwapRequest): readonly Action[] {
  const { alias, from, to, properties } = request;
  if (request.adopt) return [{ remove_index: { index: alias } }, { add: { index: to, alias, ...properties } }];
  if (from !== null) return [{ remove: { index: from, alias, must_exist: true } }, { add: { index: to, alias, ...properties } }];
  // Nothing to remove means nothing to compare with: two first builds would both add. A cluster state takes only one write index per alias
  // (docs/servers.md E24), so the flag makes the second `add` fail. It changes nothing for readers and writers of a single index.
  return [{ add: { index: to, alias, ...properties, is_write_index: true } }];
}

/** Null if the server took it, else why not; what it comes to is decided by reading the alias. */
async function updateAliases(http: Http, actions: readonly Action[], what: string): Promise<Failure | null> {
  try {
    await http.json({ what, method: 'POST', path: '/_aliases', body: { actions } });
    return null;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'denied') throw error;
    return error;
  }
}

/**
 * Another index holds the alias beside ours. On a first build ours leaves again, as if it had not come. In place of `from` it stays: without
 * it readers would lose the documents, and to put `from` back would double them if the other one was meant to replace it.
 */
async function stepBack(http: Http, request: SwapRequest): Promise<void> {
  const { alias, from, to } = request;
  if (from !== null || request.adopt) {
    throw new Failure('alias-changed', `the alias ${alias} moved to ${to}, but somebody else put another index behind it at the same time`, {
      hint: `See GET _alias/${alias} and remove the index that does not belong there.`,
    });
  }
  const failure = await updateAliases(http, [{ remove: { index: to, alias, must_exist: true } }], `taking the alias ${alias} back`);
  if (failure !== null && holds(await readAlias(http, alias), to)) throw failure;
}

function isAsExpected(target: AliasTarget, request: SwapRequest): boolean {
  if (request.adopt) return target.kind === 'index';
  return request.from === null ? target.kind === 'none' : isExactly(target, request.from);
}

function isExactly(target: AliasTarget, index: string): boolean {
  return target.kind === 'alias' && target.indices.size === 1 && target.indices.has(index);
}

function holds(target: AliasTarget, index: string): boolean {
  return target.kind === 'alias' && target.indices.has(index);
}

/** `others`: the name leads to indices of other names. */
async function whatElse(http: Http, name: string): Promise<'index' | 'none' | 'others'> {
  const query = { filter_path: '*.settings.index.uuid' };
  const answer = await http.json({ what: `looking up ${name}`, method: 'GET', path: `/${encodeURIComponent(name)}/_settings`, query }, [
    404,
    'index_not_found_exception',
  ]);
  if (answer === null || Object.keys(answer as object).length === 0) return 'none';
  return Object.hasOwn(answer as object, name) ? 'index' : 'others';
}
