import type { VerifyReport } from '../core/events.ts';
import { formatLsn } from '../core/lsn.ts';
import { blindSpots } from '../core/verify/blind-spots.ts';
import { DocumentHasher, type Hash64, loadHash, partitionCountFor } from '../core/verify/checksum.ts';
import { DifferenceLedger } from '../core/verify/difference-ledger.ts';
import { closingAfter } from './flow/closing-after.ts';
import { compareChecksums } from './verify/compare-checksums.ts';
import type { Comparison, DifferenceSink, VerifyContext } from './verify/comparison.ts';
import { type Counts, compareCounts, settleCounts } from './verify/counts.ts';
import { freezeAtFence, freezeForSettling } from './verify/fence.ts';
import { nameDifferences } from './verify/name-differences.ts';
import { sampleDocuments } from './verify/sample.ts';
import { Suspects, settle } from './verify/settle.ts';

export type { VerifyContext } from './verify/comparison.ts';

/**
 * Compares the table with the index at one LSN, exactly; if no slot can be had for that, by settling. Names up to 1,000 differences and counts all. It
 * judges nothing: `requirePassing` does. Throws what the two servers and the replay throw.
 */
export async function verifyAtFence(context: VerifyContext): Promise<VerifyReport> {
  return compareAll((await freezeAtFence(context)) ?? (await freezeForSettling(context)));
}

/** Compares without any slot: for an audit of an index that somebody else may be writing to. */
export async function verifyBySettling(context: VerifyContext, ledger = new DifferenceLedger()): Promise<SettledReport> {
  return compareAll(await freezeForSettling(context), ledger);
}

export interface SettledReport extends VerifyReport {
  /** `unsettled` has at most the first 1,000. */
  readonly unsettledCount: number;
}

interface Findings {
  readonly counts: Counts;
  readonly sampled: VerifyReport['sampled'];
  readonly partitions: number;
  readonly partitionsEqual: number;
  readonly partitionsDiffering?: readonly number[];
}

async function compareAll(comparison: Comparison, ledger = new DifferenceLedger()): Promise<SettledReport> {
  const { context, method } = comparison;
  const hash = await loadHash();
  const suspects = new Suspects(context);
  const sinks = method === 'fence' ? ledgerSinks(ledger) : { sampled: suspects, counted: suspects.counted() };
  const findings = await closingAfter(
    () => comparison.close(),
    () => examine(comparison, hash, sinks),
  );
  if (method === 'fence') return { ...reportOf(comparison, findings, ledger, []), unsettledCount: 0 };
  const { unsettled, unsettledCount, correction } = await settle(context, suspects, hash, ledger);
  const corrected = await correctCounts(comparison, findings, correction);
  return { ...reportOf(comparison, corrected, ledger, unsettled), unsettledCount };
}

interface Sinks {
  /** Differences of the sample. */
  readonly sampled: DifferenceSink;
  /** Differences of the pass that also counts rows and documents. */
  readonly counted: DifferenceSink;
}

function ledgerSinks(ledger: DifferenceLedger): Sinks {
  const sink: DifferenceSink = { found: (difference) => ledger.add(difference) };
  return { sampled: sink, counted: sink };
}

/** The sample comes first: it is quick, and the ledger can then tell its findings from those of the full pass. */
async function examine(comparison: Comparison, hash: Hash64, sinks: Sinks): Promise<Findings> {
  const { mode } = comparison.context;
  const sampled = mode === 'counts' ? { random: 0, changed: 0, deleted: 0 } : await sampleDocuments(comparison, hash, sinks.sampled);
  await warnOfIgnored(comparison);
  if (mode === 'full') return { sampled, ...(await compareInFull(comparison, hash, sinks.counted)) };
  return { sampled, counts: await compareCounts(comparison), partitions: 0, partitionsEqual: 0 };
}

async function compareInFull(comparison: Comparison, hash: Hash64, sink: DifferenceSink): Promise<Omit<Findings, 'sampled'>> {
  const partitions = partitionCountFor(await comparison.frozen.count());
  const hasher = new DocumentHasher(hash, partitions);
  const checksums = await compareChecksums(comparison, hasher, partitions);
  await nameDifferences(comparison, hasher, checksums, sink);
  return { counts: checksums, partitions, partitionsEqual: partitions - checksums.differing.length, partitionsDiffering: checksums.differing };
}

async function correctCounts(comparison: Comparison, findings: Findings, correction: number): Promise<Findings> {
  const { counts } = findings;
  if (comparison.context.mode !== 'full') return { ...findings, counts: await settleCounts(comparison, counts) };
  return { ...findings, counts: { ...counts, documents: counts.documents + correction } };
}

// Such fields are in _source but not searchable, and nothing else would tell (docs/servers.md E32).
async function warnOfIgnored(comparison: Comparison): Promise<void> {
  const { mayBeIgnored, reporter, audit } = comparison.context;
  const ignored = (await comparison.frozen.ignored()).filter(({ field }) => !mayBeIgnored?.has(field));
  audit?.ignored(ignored);
  if (ignored.length === 0) return;
  const list = ignored.map(({ field, documents }) => `${field} in ${documents} ${documents === 1 ? 'document' : 'documents'}`).join(', ');
  reporter.report({
    type: 'warning',
    code: 'ignored-fields',
    message: `Elasticsearch stored but did not index (_ignored): ${list}`,
    hint: 'Search for {"query":{"term":{"_ignored":"FIELD"}}}; raise ignore_above or change the type of the field.',
  });
}

function reportOf(comparison: Comparison, findings: Findings, ledger: DifferenceLedger, unsettled: readonly string[]): VerifyReport {
  const { context, method, fenceLsn } = comparison;
  const { counts, sampled, partitions, partitionsEqual, partitionsDiffering } = findings;
  const seen = { mode: context.mode, method, rows: counts.rows, rejected: counts.rejected, sampled };
  return {
    ...seen,
    fenceLsn: formatLsn(fenceLsn),
    documents: counts.documents,
    partitions,
    partitionsEqual,
    ...(partitionsDiffering === undefined ? {} : { partitionsDiffering }),
    seed: context.seed,
    differences: ledger.named,
    differenceCount: ledger.count,
    unsettled,
    blindSpots: blindSpots(seen),
  };
}
