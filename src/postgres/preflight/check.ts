import { type Finding, findingsOf } from '../../core/finding.ts';
import type { RowExpressions } from '../../core/plan/index-config.ts';
import type { Relation } from '../catalog.ts';
import type { PostgresConfig, Session } from '../connect.ts';

/** What a check may look at. */
export interface CheckContext {
  readonly session: Session;
  readonly config: PostgresConfig;
  /** The table as written in the configuration, for messages. */
  readonly tableText: string;
  /** Null if there is no such relation; the checks of the table are then skipped, one finding says why. */
  readonly relation: Relation | null;
  readonly excludedColumns: readonly string[];
  readonly expressions: RowExpressions;
  /** The columns of the `_id`; null: the primary key. */
  readonly id: readonly string[] | null;
  /** `limits.query`; null: there is none. */
  readonly throttleQuery: string | null;
}

export type Check = (context: CheckContext) => Promise<readonly Finding[]>;

export const { ok, warn, fail } = findingsOf('postgres');

/** A check of the table: silent if there is none, if it is no table at all, or one of another session that cannot even be looked at. */
export function tableCheck(check: (context: CheckContext & { readonly relation: Relation }) => Promise<readonly Finding[]>): Check {
  return async (context) => {
    const { relation } = context;
    if (relation === null || (relation.kind !== 'r' && relation.kind !== 'p') || relation.persistence === 't') return [];
    return check({ ...context, relation });
  };
}
