import type { AuditDurations, AuditReport, IgnoredField, RepairReport } from '../core/audit-report.ts';
import type { Reporter } from '../core/events.ts';
import type { AuditOptions } from '../core/plan/audit-options.ts';
import { fieldTypeDifferences } from '../core/plan/field-type-differences.ts';
import { ignorableFields } from '../core/plan/ignorable-fields.ts';
import type { IndexConfig } from '../core/plan/index-config.ts';
import { isPlaceless, routingMappingDifference } from '../core/plan/routing.ts';
import { nameInSql } from '../core/table.ts';
import { auditBlindSpots } from '../core/verify/audit-blind-spots.ts';
import { auditVerdict } from '../core/verify/audit-verdict.ts';
import { type Hash64, loadHash } from '../core/verify/checksum.ts';
import { DifferenceLedger } from '../core/verify/difference-ledger.ts';
import { NOBODY, observedReplay } from './audit/feed.ts';
import { AuditFindings, countKinds, driftByPartition } from './audit/findings.ts';
import { compareNamed } from './audit/named-keys.ts';
import { pacer } from './audit/pace.ts';
import { RefreshedSink } from './audit/refreshed-sink.ts';
import { compareInSections, type SectionedReport } from './audit/sections.ts';
import type { AuditState } from './audit/state.ts';
import { type AuditTarget, resolveTarget } from './audit/target.ts';
import type { Clock, Source } from './ports.ts';
import { repairDrift } from './repair.ts';
import type { ReplayControl } from './replay/replay-control.ts';
import type { Sink } from './sink-ports.ts';
import type { VerifyContext } from './verify/comparison.ts';
import { verifyBySettling } from './verify.ts';

export interface AuditRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly config: IndexConfig;
  readonly options: AuditOptions;
  /** Where a rotation in several runs stands; used with `maxDurationMs` only. */
  readonly state: AuditState;
  readonly signal: AbortSignal;
  /** Six random characters of `[a-z0-9]`: names what a repair puts on the server. */
  readonly run: string;
}

const MAX_NAMED = 1000;

/**
 * Compares the live index with the table, whoever writes to either, and mends what lastingly differs if asked. Without a repair it only reads, on both
 * sides, and needs no slot. Throws what the two servers throw, `preflight-refused` if one side does not exist; differences are the result, not a failure.
 */
export async function runAudit(request: AuditRequest): Promise<AuditReport> {
  const target = await resolveTarget({ ...request, index: request.options.index });
  return new Audit(request, target).run();
}

/** One audit of one index: what its parts tell while they run, and the report made of it. */
class Audit {
  readonly #request: AuditRequest;
  readonly #target: AuditTarget;
  readonly #sink: RefreshedSink;
  #ignored: readonly IgnoredField[] = [];
  #sampledDocuments = 0;
  #settlingAtMs: number | null = null;

  constructor(request: AuditRequest, target: AuditTarget) {
    this.#request = request;
    this.#target = target;
    this.#sink = new RefreshedSink(request.sink, request.reporter);
  }

  async run(): Promise<AuditReport> {
    const { source, sink, clock, options } = this.#request;
    const { index, plan, cp } = this.#target;
    const startedMs = clock.now();
    const findings = new AuditFindings(cp === null ? null : { cp, newestLsn: await source.insertLsn() });
    const { replay, fedBy } = await this.#feed();
    const context = this.#context(replay, findings);
    const compared = await this.#compare(context, findings);
    const comparedMs = clock.now();
    const live = await sink.readMapping(index);
    const mapping = [...fieldTypeDifferences(plan.documentPlan.fields, plan.mapping, live), ...routingMappingDifference(plan.documentPlan, live)];
    const hash = await loadHash();
    const newestLsn = await source.insertLsn();
    const differences = findings.described(hash, compared.partitions, newestLsn);
    const repair = options.repair === 'no' ? null : await this.#repair(context, { differences, mapping }, hash);
    const durations = this.#durations(startedMs, comparedMs, clock.now());
    const foreignWrites = this.#countsForeign() ? findings.foreignWrites(differences, newestLsn) : null;
    return this.#report({ compared, differences, foreignWrites, fedBy, mapping, repair, durations });
  }

  async #compare(context: VerifyContext, findings: AuditFindings): Promise<SectionedReport> {
    const { options, state } = this.#request;
    const ledger = new DifferenceLedger((difference) => findings.add(difference));
    if (options.keys !== null) return { ...(await compareNamed(context, options.keys, ledger)), covered: 1, sectioned: false };
    if (options.maxDurationMs === null) return { ...(await verifyBySettling(context, ledger)), covered: 1, sectioned: false };
    return compareInSections({ context, ledger, state, target: this.#target, maxDurationMs: options.maxDurationMs });
  }

  async #feed(): Promise<{ readonly replay: ReplayControl; readonly fedBy: AuditReport['fedBy'] }> {
    const { source, clock, signal, reporter } = this.#request;
    const slot = this.#target.state?.slot;
    if (slot === undefined || (await source.readSlot(slot)) === null) return { replay: NOBODY, fedBy: 'others' };
    const onStalled = (reason: string): void =>
      reporter.report({
        type: 'warning',
        code: 'feed-stalled',
        message: `the index is not being fed: ${reason}; comparing by settling alone`,
        hint: 'See `realign status` for the process that should apply the changes.',
      });
    return { replay: observedReplay({ source, clock, signal, slot, onStalled }), fedBy: 'realign' };
  }

  #context(replay: ReplayControl, findings: AuditFindings): VerifyContext {
    const { source, clock, reporter, options, signal } = this.#request;
    const { table, plan, index, state } = this.#target;
    return {
      ...{ source, sink: this.#sink.port, replay, clock, reporter, table, index, signal },
      plan: plan.documentPlan,
      mode: options.mode,
      sample: options.sample,
      seed: options.seed,
      rejectedIds: new Set(state?.rejectedIds ?? []),
      mayBeIgnored: ignorableFields(plan.mapping),
      anyRouting: state === null && plan.documentPlan.routing === undefined,
      slotName: '',
      slotTimeoutMs: 0,
      audit: {
        wholeValues: options.values === 'full',
        settle: options.settle,
        paceSource: pacer(clock, options.rate, signal),
        paceSink: pacer(clock, options.rate, signal),
        seen: (document) => findings.seen(document),
        sampledDocuments: (count) => {
          this.#sampledDocuments = count;
        },
        ignored: (fields) => {
          this.#ignored = fields;
        },
        settling: () => {
          this.#settlingAtMs = clock.now();
        },
      },
    };
  }

  /** Only the whole scan sees the version of each document once. */
  #countsForeign(): boolean {
    const { mode, keys, maxDurationMs } = this.#request.options;
    return mode === 'full' && keys === null && maxDurationMs === null;
  }

  async #repair(context: VerifyContext, found: Pick<AuditReport, 'differences' | 'mapping'>, hash: Hash64): Promise<RepairReport> {
    const { options, sink, reporter, run } = this.#request;
    const { uuid, cp } = this.#target;
    const { differences } = found;
    const placeless = found.mapping.some(isPlaceless);
    const dryRun = options.repair === 'dry-run';
    return repairDrift({ context, differences, hash, uuid, run, cp, sink, reporter, dryRun, limit: options.maxRepair, placeless });
  }

  #durations(startedMs: number, comparedMs: number, endedMs: number): AuditDurations {
    const settlingMs = this.#settlingAtMs ?? comparedMs;
    return { compareMs: settlingMs - startedMs, settleMs: comparedMs - settlingMs, repairMs: endedMs - comparedMs };
  }

  #report(parts: ReportParts): AuditReport {
    const { options } = this.#request;
    const { index, table, state } = this.#target;
    const { compared, differences, foreignWrites, mapping, fedBy, repair, durations } = parts;
    const mode = options.keys === null ? options.mode : ('keys' as const);
    const seen = { ...compared, mode, ours: state !== null, fedBy, sampledDocuments: this.#sampledDocuments, mapping };
    return {
      ...seen,
      verdict: auditVerdict(seen),
      generation: index,
      table: nameInSql(table),
      differences: shown(differences.slice(0, MAX_NAMED), options.values),
      kinds: countKinds(differences),
      foreignWrites,
      partitionDrift: compared.partitions === 0 ? [] : driftByPartition(differences),
      ignored: this.#ignored,
      sampleSize: options.sample,
      settle: options.settle,
      blindSpots: auditBlindSpots({ ...seen, refreshed: this.#sink.mayRefresh }),
      durations,
      repair,
    };
  }
}

interface ReportParts {
  readonly compared: SectionedReport;
  readonly differences: AuditReport['differences'];
  readonly foreignWrites: number | null;
  readonly fedBy: AuditReport['fedBy'];
  readonly mapping: AuditReport['mapping'];
  readonly repair: RepairReport | null;
  readonly durations: AuditDurations;
}

/** Values leave this phase only if somebody asked for them. */
function shown(differences: AuditReport['differences'], values: AuditOptions['values']): AuditReport['differences'] {
  if (values !== 'none') return differences;
  return differences.map(({ values: _, ...rest }) => rest);
}
