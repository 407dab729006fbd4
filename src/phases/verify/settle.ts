import type { Difference, DifferenceKind } from '../../core/events.ts';
import type { Hash64 } from '../../core/verify/checksum.ts';
import type { DifferenceLedger } from '../../core/verify/difference-ledger.ts';
import { keyOfId } from '../../core/verify/key-of-id.ts';
import { batches } from '../flow/batches.ts';
import { closingAfter } from '../flow/closing-after.ts';
import type { DifferenceSink, VerifyContext } from './comparison.ts';
import { type Judgement, type JudgeScope, judgeForeign } from './judge.ts';
import { judgeAskable } from './judge-ids.ts';

const SETTLING_ROUNDS = 5;
const FIRST_PAUSE_MS = 500;
const MAX_SUSPECTS = 20_000;
const MAX_UNSETTLED_NAMES = 1000;

/** A row of the snapshot whose document came later counts as a document; a document whose row came later does not. */
const CORRECTIONS: { readonly [kind in DifferenceKind]: number } = { missing: 1, extra: -1, different: 0 };

interface Suspect {
  readonly key: readonly string[] | null;
  /** The id is a hash: whether it has a row cannot be asked. */
  readonly hashed: boolean;
  difference: Difference;
  state: string;
  /** Neither side changed between the last two rounds. */
  steady: boolean;
  /** What the count of documents must be corrected by when this one settles, so that it fits the rows of the snapshot. */
  readonly correction: number;
}

/** Documents that differed once, between two moments that were not the same: to be looked at again. */
export class Suspects implements DifferenceSink {
  readonly open = new Map<string, Suspect>();
  /** Beyond the memory set aside: never judged, so the report cannot pass. The first names; `unjudgedCount` counts all. */
  readonly unjudged: string[] = [];
  unjudgedCount = 0;
  readonly #context: VerifyContext;

  constructor(context: VerifyContext) {
    this.#context = context;
  }

  found(difference: Difference, key: readonly string[] | null): void {
    this.#suspect(difference, key, 0);
  }

  /** For the pass that counts documents: what settles there corrects the count. */
  counted(): DifferenceSink {
    return { found: (difference, key) => this.#suspect(difference, key, CORRECTIONS[difference.kind]) };
  }

  #suspect(difference: Difference, key: readonly string[] | null, correction: number): void {
    if (this.open.size >= MAX_SUSPECTS && !this.open.has(difference.id)) {
      this.#leave(difference.id);
      return;
    }
    const known = key === null ? keyOfId(this.#context.plan, difference.id) : { kind: 'key' as const, key };
    const asked = known.kind === 'key' ? known.key : null;
    this.open.set(difference.id, { key: asked, hashed: known.kind === 'hashed', difference, state: '', steady: false, correction });
  }

  #leave(id: string): void {
    this.unjudgedCount++;
    if (this.unjudged.length < MAX_UNSETTLED_NAMES) this.unjudged.push(id);
  }
}

export interface Settlement {
  readonly unsettled: readonly string[];
  readonly unsettledCount: number;
  readonly correction: number;
}

/**
 * Looks at every suspect again in up to five rounds (an audit: as many as asked), each after the replay has passed an LSN read in that round. Equal once = settled. Still different
 * in the last round: a lasting difference if neither side changed since the round before, else unsettled.
 */
export async function settle(context: VerifyContext, suspects: Suspects, hash: Hash64, ledger: DifferenceLedger): Promise<Settlement> {
  context.audit?.settling();
  let correction = 0;
  for (let round = 0; round < lastLook(context, suspects) && suspects.open.size > 0; round++) {
    await pauseBefore(context, round);
    const corrected = await lookAgain(context, suspects, hash);
    correction += corrected;
  }
  const unsettled = [...suspects.unjudged];
  let unsettledCount = suspects.unjudgedCount;
  for (const [id, suspect] of suspects.open) {
    if (suspect.steady) {
      ledger.add(suspect.difference);
      continue;
    }
    unsettledCount++;
    if (unsettled.length < MAX_UNSETTLED_NAMES) unsettled.push(id);
  }
  return { unsettled, unsettledCount, correction };
}

/** A key that is written every second may differ in each look by chance; an audit has no other way to judge it than a few more of them. */
const MORE_LOOKS = 5;

function lastLook(context: VerifyContext, { open }: Suspects): number {
  const moving = context.audit !== undefined && [...open.values()].some(({ steady }) => !steady);
  return settlingRounds(context) + (moving ? MORE_LOOKS : 0);
}

/** How often a difference is looked at again. */
export function settlingRounds({ audit }: VerifyContext): number {
  return audit?.settle.rounds ?? SETTLING_ROUNDS;
}

/** Waits 0.5 s, 1 s, 2 s, … before round 0, 1, 2, …; an audit as long as asked before each. */
export async function pauseBefore({ audit, clock, signal }: VerifyContext, round: number): Promise<void> {
  await clock.sleep(audit?.settle.pauseMs ?? FIRST_PAUSE_MS * 2 ** round, signal);
}

async function lookAgain(context: VerifyContext, suspects: Suspects, hash: Hash64): Promise<number> {
  const { source, sink, replay, index } = context;
  await replay.waitUntilApplied(await source.insertLsn());
  await sink.refresh(index);
  const frozen = await sink.freeze(index);
  const scope: JudgeScope = { context, frozen, snapshotName: null, rejected: context.rejectedIds, hash };
  return closingAfter(
    () => frozen.close(),
    () => judgeSuspects(scope, suspects),
  );
}

async function judgeSuspects(scope: JudgeScope, suspects: Suspects): Promise<number> {
  let correction = 0;
  for (const batch of batches([...suspects.open])) {
    for (const judgement of await judgeBatch(scope, batch)) correction += note(suspects, judgement);
  }
  return correction;
}

type NamedSuspect = readonly [id: string, suspect: Suspect];

async function judgeBatch(scope: JudgeScope, batch: readonly NamedSuspect[]): Promise<readonly Judgement[]> {
  const others = batch.flatMap(([id, { key }]) => (key === null ? [id] : []));
  const judged = await judgeForeign(scope, others);
  const asked = batch.flatMap(([id, { key }]) => (key === null ? [] : [{ id, key }]));
  return [...judged, ...(await judgeAskable(scope, asked))];
}

/** Updates the suspect; the correction if it settled. */
function note(suspects: Suspects, { id, difference, state }: Judgement): number {
  const suspect = suspects.open.get(id);
  if (suspect === undefined) return 0;
  if (difference === null) {
    suspects.open.delete(id);
    return suspect.correction;
  }
  suspect.steady = !suspect.hashed && state === suspect.state;
  suspect.state = state;
  suspect.difference = difference;
  return 0;
}
