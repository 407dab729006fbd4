import { Failure } from '../../core/failure.ts';
import { keyOfId } from '../../core/verify/key-of-id.ts';
import { type Judgement, type JudgeScope, judgeForeign, judgeKeys } from './judge.ts';
import { keyPlan } from './scan-source.ts';

/** Compares the documents with these ids (at most 1,000), and those missing, with their rows; an id that is no key of the table has none. */
export async function judgeIds(scope: JudgeScope, ids: readonly string[]): Promise<readonly Judgement[]> {
  const { plan } = scope.context;
  const known = ids.map((id) => [id, keyOfId(plan, id)] as const);
  const foreign = known.flatMap(([id, { kind }]) => (kind === 'foreign' ? [id] : []));
  const keys = known.flatMap(([id, of]) => (of.kind === 'key' ? [{ id, key: of.key }] : []));
  return [...(await judgeForeign(scope, foreign)), ...(await judgeAskable(scope, keys))];
}

export interface NamedKey {
  readonly id: string;
  readonly key: readonly string[];
}

/**
 * A foreign id may be no value of the key's type (`abc` where the key is an integer): PostgreSQL then refuses the whole batch. Which keys those are is asked of the keys alone:
 * an expression of the config that fails for a row, or bytes of the table that are no text, look the same, and calling such a row's document extra would have a repair delete it.
 */
export async function judgeAskable(scope: JudgeScope, asked: readonly NamedKey[]): Promise<readonly Judgement[]> {
  if (asked.length === 0) return [];
  try {
    return await judgeKeys(scope, keysOf(asked));
  } catch (error) {
    if (!isOfValues(error)) throw error;
    const real = await realKeys(scope, asked);
    if (real.length === asked.length) throw error;
    const foreign = asked.filter((one) => !real.includes(one)).map(({ id }) => id);
    return [...(await judgeForeign(scope, foreign)), ...(await judgeKeys(scope, keysOf(real)))];
  }
}

const keysOf = (named: readonly NamedKey[]): readonly (readonly string[])[] => named.map(({ key }) => key);

const isOfValues = (error: unknown): boolean => error instanceof Failure && (error.kind === 'value-refused' || error.kind === 'source-changed');

/** Those that a row of the table could have: one refused key has its batch refused, so halves are asked, down to the key itself. */
async function realKeys(scope: JudgeScope, asked: readonly NamedKey[]): Promise<readonly NamedKey[]> {
  const { source, plan } = scope.context;
  if (await source.canBeKeys(keyPlan(plan).columns, keysOf(asked))) return asked;
  if (asked.length === 1) return [];
  const half = asked.length >> 1;
  return [...(await realKeys(scope, asked.slice(0, half))), ...(await realKeys(scope, asked.slice(half)))];
}
