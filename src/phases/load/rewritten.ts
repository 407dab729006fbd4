import type { RunEvent } from '../../core/events.ts';
import { Failure } from '../../core/failure.ts';
import type { Leaf } from '../../core/table.ts';
import { nameInSql } from '../../core/table.ts';

/** A truncated partition sends no message, so it cannot be told from a harmless rewrite. */
export function partitionRewritten(leaf: Leaf): Failure {
  return new Failure('source-changed', `partition ${nameInSql(leaf)} was truncated or rewritten during the build`, {
    hint: 'A truncated partition sends no changes, so the build cannot go on. Run the same command again: a new build reads the table as it is now.',
  });
}

/** What is told when a relation's rows have moved to other blocks and its chunks are planned again. */
export function rewritten(leaf: Leaf): RunEvent {
  const message = `${nameInSql(leaf)} was rewritten during the load (VACUUM FULL, CLUSTER or TRUNCATE): it is loaded again`;
  return { type: 'warning', code: 'relation-rewritten', message, hint: '' };
}
