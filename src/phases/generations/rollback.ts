import type { Reporter } from '../../core/events.ts';
import { Failure } from '../../core/failure.ts';
import { formatLsn } from '../../core/lsn.ts';
import type { Clock, Source } from '../ports.ts';
import type { AliasProperties, Generation, Sink } from '../sink-ports.ts';
import { followerLock, retire } from './retire.ts';

const FRESH_TIMEOUT_MS = 60_000;
const POLL_MS = 200;

export interface RollbackRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly alias: string;
  /** A generation, or null for the one that was live before. */
  readonly to: string | null;
  readonly signal: AbortSignal;
}

export interface RollbackPlan {
  readonly from: Generation;
  readonly to: Generation;
  readonly properties: AliasProperties;
  readonly freshness: Freshness;
}

/** What readers would get: everything, or the state of some time ago. */
export type Freshness =
  | { readonly kind: 'fresh'; readonly lagBytes: bigint }
  | { readonly kind: 'stale'; readonly appliedLsn: string | null; readonly at: string };

/** Where the alias would go, and how old that is. Changes nothing; throws `preflight-refused` where there is nothing to go back to. */
export async function planRollback(request: RollbackRequest): Promise<RollbackPlan> {
  const { sink, alias } = request;
  const generations = await sink.generations(alias);
  const target = await sink.readAlias(alias);
  const [live] = target.kind === 'alias' ? [...target.indices] : [];
  const from = generations.find(({ index }) => index === live?.[0]);
  if (target.kind !== 'alias' || target.indices.size !== 1 || live === undefined || from === undefined) {
    throw new Failure('preflight-refused', `${alias} is not an alias on exactly one generation of ours`, { hint: `See: realign status ${alias}` });
  }
  const to = chosen(generations, from, request.to);
  return { from, to, properties: live[1], freshness: await freshnessOf(request.source, to) };
}

/**
 * Moves the alias to the kept generation by compare-and-swap, with the alias's lock held. A generation that is kept fresh has everything first that was committed before now.
 * Throws `locked` while a build runs, `alias-changed` if the alias is not where it was planned from.
 */
export async function rollBack(request: RollbackRequest): Promise<RollbackPlan> {
  const { source, sink, reporter, alias } = request;
  const lock = await source.tryLock(alias);
  if (lock === null) throw new Failure('locked', `a build of ${alias} is running`, { hint: `Stop it first: realign ctl ${alias} stop` });
  try {
    const plan = await planRollback(request);
    if (plan.freshness.kind === 'fresh') await waitUntilFresh(request, plan.to);
    const outcome = await sink.swap({ alias, to: plan.to.index, from: plan.from.index, properties: plan.properties, adopt: false });
    if (outcome === 'alias-changed') {
      throw new Failure('alias-changed', `alias ${alias} is not on ${plan.from.index} any more; it was not moved`, {
        hint: `See: realign status ${alias}`,
      });
    }
    reporter.report({ type: 'swap', alias, from: plan.from.index, to: plan.to.index });
    await endFeeding(request, plan.from);
    return plan;
  } finally {
    await lock.release();
  }
}

function chosen(generations: readonly Generation[], from: Generation, wanted: string | null): Generation {
  const kept = generations.filter(({ index, state }) => index !== from.index && (state.phase === 'finished' || state.phase === 'follow'));
  const names = kept.map(({ index }) => index);
  const to = wanted === null ? (kept.find(({ index }) => index === from.state.previous) ?? kept[0]) : kept.find(({ index }) => index === wanted);
  if (to !== undefined) return to;
  const hint =
    names.length === 0 ? `No other generation of ${from.state.alias} is kept (keep: 0, or this is the first build).` : `Kept: ${names.join(', ')}.`;
  throw new Failure('preflight-refused', whyNot(generations, from, wanted), { hint });
}

function whyNot(generations: readonly Generation[], { index, state: { alias } }: Generation, wanted: string | null): string {
  if (wanted === null) return `there is nothing to roll ${alias} back to`;
  if (wanted === index) return `${alias} is on ${wanted} already`;
  const known = generations.find((generation) => generation.index === wanted);
  return known === undefined
    ? `${alias} has no generation named ${JSON.stringify(wanted)}`
    : `${wanted} cannot serve ${alias}: its build is in phase ${known.state.phase}`;
}

async function freshnessOf(source: Source, { index, state }: Generation): Promise<Freshness> {
  if (state.phase === 'follow' && (await source.isLocked(followerLock(index)))) {
    const confirmed = (await source.readSlot(state.slot))?.confirmedFlushLsn ?? 0n;
    const now = await source.insertLsn();
    return { kind: 'fresh', lagBytes: now > confirmed ? now - confirmed : 0n };
  }
  const confirmed = (await source.readSlot(state.slot))?.confirmedFlushLsn ?? null;
  return {
    kind: 'stale',
    appliedLsn: confirmed === null ? (state.applied?.lsn ?? null) : formatLsn(confirmed),
    at: state.applied?.at ?? state.startedAt,
  };
}

/** Readers must not lose what they could see before: the follower passes a position read now. */
async function waitUntilFresh({ source, clock, signal }: RollbackRequest, { state }: Generation): Promise<void> {
  const lsn = await source.insertLsn();
  const startedAt = clock.now();
  for (;;) {
    const confirmed = (await source.readSlot(state.slot))?.confirmedFlushLsn ?? 0n;
    if (confirmed >= lsn) return;
    if (clock.now() - startedAt > FRESH_TIMEOUT_MS) {
      throw new Failure('stalled', `the follower has not passed ${formatLsn(lsn)} within ${FRESH_TIMEOUT_MS / 1000} s; the alias was not moved`, {
        hint: 'Run the same command again, or look at the follower.',
      });
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** A running follower of what was left notices it by itself; what nobody feeds any more must not keep a slot. */
async function endFeeding({ source, sink }: RollbackRequest, from: Generation): Promise<void> {
  if (from.state.phase === 'finished' || (await source.isLocked(followerLock(from.index)))) return;
  await retire(source, sink, from);
}
