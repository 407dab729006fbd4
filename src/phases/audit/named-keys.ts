import type { VerifyReport } from '../../core/events.ts';
import { formatLsn } from '../../core/lsn.ts';
import { loadHash } from '../../core/verify/checksum.ts';
import type { DifferenceLedger } from '../../core/verify/difference-ledger.ts';
import { batches } from '../flow/batches.ts';
import { closingAfter } from '../flow/closing-after.ts';
import type { VerifyContext } from '../verify/comparison.ts';
import { freezeForSettling } from '../verify/fence.ts';
import type { JudgeScope } from '../verify/judge.ts';
import { judgeIds } from '../verify/judge-ids.ts';
import { Suspects, settle } from '../verify/settle.ts';
import type { SettledReport } from '../verify.ts';

type Figures = Pick<VerifyReport, 'rows' | 'documents' | 'rejected' | 'sampled'>;

/** Compares the documents with these ids field by field, on the path that shares nothing with the encoder, and looks again at those that differ. */
export async function compareNamed(context: VerifyContext, ids: readonly string[], ledger: DifferenceLedger): Promise<SettledReport> {
  const hash = await loadHash();
  const suspects = new Suspects(context);
  const comparison = await freezeForSettling(context);
  const { frozen, snapshotName, rejected, fenceLsn } = comparison;
  const scope: JudgeScope = { context, frozen, snapshotName, rejected, hash };
  await closingAfter(
    () => comparison.close(),
    async () => {
      for (const batch of batches(ids)) await suspectAmong(scope, batch, suspects);
    },
  );
  const { unsettled, unsettledCount } = await settle(context, suspects, hash, ledger);
  const figures: Figures = { rows: ids.length, documents: ids.length, rejected: 0, sampled: { random: 0, changed: 0, deleted: 0 } };
  return {
    ...figures,
    ...{ mode: context.mode, method: 'settling', fenceLsn: formatLsn(fenceLsn), partitions: 0, partitionsEqual: 0, seed: context.seed },
    ...{ differences: ledger.named, differenceCount: ledger.count, unsettled, unsettledCount, blindSpots: [] },
  };
}

async function suspectAmong(scope: JudgeScope, ids: readonly string[], suspects: Suspects): Promise<void> {
  for (const { difference, key } of await judgeIds(scope, ids)) {
    if (difference !== null) suspects.found(difference, key);
  }
  await scope.context.audit?.paceSource(ids.length);
}
