import type { Finding } from '../../core/finding.ts';
import type { SourcePreflightOptions } from '../../phases/ports.ts';
import { findRelation } from '../catalog.ts';
import type { PostgresConfig, Session } from '../connect.ts';
import { parseTableName } from '../table-name.ts';
import { checkOpenTransactions, checkPreparedTransactions } from './activity-checks.ts';
import type { Check } from './check.ts';
import { checkExpressions } from './expression-checks.ts';
import { checkThrottleQuery } from './limits-check.ts';
import { checkPublicationPrivileges } from './publication-checks.ts';
import { checkReplication, checkSlotsAndSenders, checkWalLevel } from './replication-checks.ts';
import { checkSelect } from './select-checks.ts';
import { checkEncoding, checkPooler, checkPrimary, checkSlotLimits, checkSuperuser, checkVersion } from './server-checks.ts';
import { checkGeneratedColumns, checkInheritance, checkKeyAndIdentity, checkPartitions, checkTableKind } from './table-checks.ts';

/** In the order in which an operator would mend things. */
const CHECKS: readonly Check[] = [
  checkVersion,
  checkPooler,
  checkPrimary,
  checkWalLevel,
  checkSlotsAndSenders,
  checkReplication,
  checkSlotLimits,
  checkEncoding,
  checkTableKind,
  checkInheritance,
  checkPartitions,
  checkKeyAndIdentity,
  checkGeneratedColumns,
  checkSelect,
  checkExpressions,
  checkPublicationPrivileges,
  checkThrottleQuery,
  checkSuperuser,
  checkOpenTransactions,
  checkPreparedTransactions,
];

/** All findings at once; writes nothing. Throws only if the server cannot be reached or refuses the login. */
export async function preflight(
  session: Session,
  config: PostgresConfig,
  tableText: string,
  { excludedColumns, where = null, computed = {}, id = null, throttleQuery = null }: SourcePreflightOptions,
): Promise<readonly Finding[]> {
  const relation = await findRelation(session, await parseTableName(session, tableText));
  const context = { session, config, tableText, relation, excludedColumns, expressions: { where, computed }, id, throttleQuery };
  const findings: Finding[] = [];
  for (const check of CHECKS) findings.push(...(await check(context)));
  return findings;
}
