import { throttleQuery } from '../throttle-query.ts';
import { type Check, fail, ok, warn } from './check.ts';

const LIMITS_QUERY = ['defaults', 'limits', 'query'] as const;

/** `limits.query`, asked once: one that cannot run would otherwise be told only when the load begins, with a slot made already. */
export const checkThrottleQuery: Check = async ({ session, throttleQuery: sql }) => {
  if (sql === null) return [];
  const answer = await throttleQuery(session, sql);
  if (answer.kind === 'unusable') {
    return [
      fail(
        'limits-query',
        `limits.query cannot be used: ${answer.why}`,
        'Correct defaults.limits.query: one read-only statement whose first column is a boolean, true while the load must hold back; names need their schema.',
        LIMITS_QUERY,
      ),
    ];
  }
  if (answer.kind === 'pass') return [ok('limits-query', 'limits.query: the load may go on')];
  const seen = answer.slow ? 'takes longer than 5 s, which counts as true' : 'is true';
  return [
    warn('limits-query', `limits.query ${seen}: the load would hold back just now`, 'Nothing, if that is meant; the load begins when it is over.'),
  ];
};
