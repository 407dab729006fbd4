import { isRepairAlias } from '../core/plan/names.ts';
import { readBulkAnswer } from '../core/sink/bulk-answer.ts';
import type { BulkAnswer } from '../core/sink/operation.ts';
import { type RepairOperation, repairBody } from '../core/sink/repair-body.ts';
import type { RepairDoor, RepairDoorRequest } from '../phases/audit-ports.ts';
import { removeAlias } from './alias.ts';
import { exchangeBulk } from './bulk.ts';
import type { Http } from './connect.ts';
import { readCurrent } from './current-documents.ts';
import { requireUuid } from './index-admin.ts';

/**
 * Opens the index for conditional writes, through a hidden alias of its own with `require_alias`: a write to the plain name would create the index anew if
 * somebody deleted it meanwhile, and one to the readers' alias might go to another generation, whose sequence numbers mean other documents.
 * Throws `target-vanished` if the index is not the one with this UUID.
 */
export async function openRepair(http: Http, { index, uuid, alias }: RepairDoorRequest): Promise<RepairDoor> {
  const add = { add: { index, alias, is_hidden: true } };
  try {
    await http.json({ what: `opening ${index} for the repair`, method: 'POST', path: '/_aliases', body: { actions: [add] } });
    await requireUuid(http, index, uuid);
  } catch (error) {
    // It may be on somebody else's index, and a lost answer does not mean that it is not there. If this fails as well, the next repair or clean-up takes it away.
    await removeAlias(http, index, alias).catch(() => undefined);
    throw error;
  }
  return {
    read: (names) => readCurrent(http, index, names),
    write: (operations) => write(http, alias, operations),
    close: () => removeAlias(http, index, alias),
  };
}

/** Those that a repair, this or another, writes or wrote through. */
export async function repairAliases(http: Http, index: string): Promise<readonly string[]> {
  const call = { what: `reading the aliases of ${index}`, method: 'GET', path: `/${encodeURIComponent(index)}/_alias` } as const;
  const answer = (await http.json(call, [404])) as { readonly [index: string]: { readonly aliases: object } } | null;
  return Object.keys(answer?.[index]?.aliases ?? {}).filter((alias) => isRepairAlias(index, alias));
}

async function write(http: Http, alias: string, operations: readonly RepairOperation[]): Promise<BulkAnswer> {
  const answer = await exchangeBulk(http, alias, repairBody(operations));
  // Whether it was applied is found out by reading again.
  if (answer === null) return { kind: 'retry', errorType: 'no_answer' };
  return readBulkAnswer(answer.status, answer.body === null ? '' : answer.body.toString('utf8'), operations.length);
}
