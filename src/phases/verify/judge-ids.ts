import { Failure } from '../../core/failure.ts';
import { keyOfId } from '../../core/verify/key-of-id.ts';
import { type Judgement, type JudgeScope, judgeForeign, judgeKeys } from './judge.ts';

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

/** A foreign id may be no value of the key's type (`abc` where the key is an integer): PostgreSQL then refuses the batch, and each half is asked alone. */
export async function judgeAskable(scope: JudgeScope, asked: readonly NamedKey[]): Promise<readonly Judgement[]> {
  if (asked.length === 0) return [];
  try {
    return await judgeKeys(
      scope,
      asked.map(({ key }) => key),
    );
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'value-refused') throw error;
    const only = asked.length === 1 ? asked[0] : undefined;
    if (only !== undefined) return judgeForeign(scope, [only.id]);
    const half = asked.length >> 1;
    return [...(await judgeAskable(scope, asked.slice(0, half))), ...(await judgeAskable(scope, asked.slice(half)))];
  }
}
