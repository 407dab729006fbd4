import { formatLsn } from '../../core/lsn.ts';
import type { IndexPlan } from '../../core/plan/plan-index.ts';
import { type Hash64, loadHash } from '../../core/verify/checksum.ts';
import type { DifferenceLedger } from '../../core/verify/difference-ledger.ts';
import { throwIfAborted } from '../build/run-state.ts';
import type { DifferenceSink, VerifyContext } from '../verify/comparison.ts';
import { Suspects, settle } from '../verify/settle.ts';
import type { SettledReport } from '../verify.ts';
import { indexSections } from './index-sections.ts';
import { emptyCells, SectionCells } from './section-cells.ts';
import type { AuditPosition, AuditState, SavedAudit } from './state.ts';
import { tableSections } from './table-sections.ts';

export interface SectionedReport extends SettledReport {
  /** 0 … 1 of the rotation. */
  readonly covered: number;
  /** False for a comparison of the same form in one piece. */
  readonly sectioned: boolean;
}

export interface SectionsRequest {
  readonly context: VerifyContext;
  readonly ledger: DifferenceLedger;
  readonly state: AuditState;
  readonly target: { readonly uuid: string; readonly plan: Pick<IndexPlan, 'fingerprint'> };
  readonly maxDurationMs: number;
}

/** What one section came to, and where the next one begins. */
export interface Section {
  readonly rows: number;
  readonly rejected: number;
  readonly documents: number;
  /** Null: this side is done. */
  readonly next: AuditPosition | null;
  /** 0 … 1 of this side. */
  readonly covered: number;
}

export interface SectionScope {
  readonly context: VerifyContext;
  /** Where differences of the first look go. */
  readonly suspects: DifferenceSink;
  readonly hash: Hash64;
}

const SAVE_EVERY_MS = 5_000;
const START: Pick<SavedAudit, 'rows' | 'rejected' | 'documents' | 'differing'> = { rows: 0, rejected: 0, documents: 0, differing: [] };

/**
 * Compares section by section until the time is over, and goes on there in the next run: ranges of the table's blocks with their documents, then pages of the
 * index with their rows, which finds the documents that have none. A section has a snapshot of its own of a second or so; what differs is looked at again at the end.
 */
export async function compareInSections(request: SectionsRequest): Promise<SectionedReport> {
  const { context, ledger } = request;
  const hash = await loadHash();
  const suspects = new Suspects(context);
  const saved = await savedFor(request);
  const cells = new SectionCells(hash, saved?.cells ?? emptyCells(context.table.estimatedRows));
  const rotation = new Rotation(request, suspects, cells, saved);
  const lsn = await context.source.insertLsn();
  await rotation.run({ context, suspects: cells.noting(suspects), hash });
  const { unsettled, unsettledCount } = await settle(context, suspects, hash, ledger);
  await rotation.leave([...ledger.named.map(({ id }) => id), ...unsettled]);
  return {
    ...{ mode: context.mode, method: 'settling', fenceLsn: formatLsn(lsn), ...rotation.figures, covered: rotation.covered, sectioned: true },
    ...partitionFigures(cells, rotation.covered),
    ...{ sampled: { random: 0, changed: 0, deleted: 0 }, seed: context.seed },
    ...{ differences: ledger.named, differenceCount: ledger.count, unsettled, unsettledCount, blindSpots: [] },
  };
}

/** Only of a whole rotation: a partition that nobody has looked at is not an equal one. */
function partitionFigures(
  { partitions, differing }: SectionCells,
  covered: number,
): Pick<SettledReport, 'partitions' | 'partitionsEqual' | 'partitionsDiffering'> {
  if (covered < 1) return { partitions: 0, partitionsEqual: 0, partitionsDiffering: [] };
  return { partitions, partitionsEqual: partitions - differing.length, partitionsDiffering: differing };
}

/** What the last run left, unless the index or the plan is another one now. */
async function savedFor({ state, target }: SectionsRequest): Promise<SavedAudit | null> {
  const saved = await state.read();
  return saved !== null && saved.uuid === target.uuid && saved.plan === target.plan.fingerprint ? saved : null;
}

class Rotation {
  readonly #request: SectionsRequest;
  readonly #suspects: Suspects;
  readonly #cells: SectionCells;
  #position: AuditPosition | null;
  #figures: { readonly rows: number; readonly rejected: number; readonly documents: number };
  #done = false;
  #covered = 0;
  #savedAtMs: number;

  constructor(request: SectionsRequest, suspects: Suspects, cells: SectionCells, saved: SavedAudit | null) {
    const { rows, rejected, documents, differing } = saved ?? START;
    this.#request = request;
    this.#suspects = suspects;
    this.#cells = cells;
    this.#position = saved?.position ?? null;
    this.#figures = { rows, rejected, documents };
    this.#savedAtMs = request.context.clock.now();
    for (const id of differing) suspects.found({ id, kind: 'different', fields: [] }, null);
  }

  get covered(): number {
    return this.#done ? 1 : this.#covered;
  }

  get figures(): Pick<SavedAudit, 'rows' | 'rejected' | 'documents'> {
    return this.#figures;
  }

  /** At least one section, so that the shortest runs get round, too. */
  async run(scope: SectionScope): Promise<void> {
    const { clock, signal } = scope.context;
    const deadlineMs = clock.now() + this.#comparingMs();
    if (this.#position?.side !== 'index') {
      for await (const section of tableSections(scope, this.#position)) {
        throwIfAborted(signal);
        await this.#passed(section, 0);
        if (clock.now() >= deadlineMs) return;
      }
    }
    for await (const section of indexSections(scope, this.#position)) {
      throwIfAborted(signal);
      await this.#passed(section, 0.5);
      if (clock.now() >= deadlineMs && section.next !== null) return;
    }
    this.#done = true;
  }

  /** Leaves the place for the next run, or nothing after a whole rotation. */
  async leave(differing: readonly string[]): Promise<void> {
    if (this.#done || this.#position === null) await this.#request.state.clear();
    else await this.#write(this.#position, differing);
  }

  /** The second looks need their time as well, but never more than half. */
  #comparingMs(): number {
    const { context, maxDurationMs } = this.#request;
    const { rounds, pauseMs } = context.audit?.settle ?? { rounds: 0, pauseMs: 0 };
    return Math.max(maxDurationMs / 2, maxDurationMs - rounds * pauseMs);
  }

  async #passed({ rows, rejected, documents, next, covered }: Section, before: number): Promise<void> {
    const sum = this.#figures;
    this.#figures = { rows: sum.rows + rows, rejected: sum.rejected + rejected, documents: sum.documents + documents };
    this.#covered = Math.min(0.999, before + covered / 2);
    this.#position = next ?? { side: 'index', seqNo: '0' };
    const { clock } = this.#request.context;
    if (clock.now() - this.#savedAtMs < SAVE_EVERY_MS) return;
    // A run that is killed has not looked again at what differed: the next one does.
    await this.#write(this.#position, [...this.#suspects.open.keys()]);
    this.#savedAtMs = clock.now();
  }

  async #write(position: AuditPosition, differing: readonly string[]): Promise<void> {
    const { state, target } = this.#request;
    const { partitions, differing: differingCells } = this.#cells;
    const cells = { partitions, differing: differingCells };
    await state.write({ format: 2, uuid: target.uuid, plan: target.plan.fingerprint, position, ...this.#figures, cells, differing });
  }
}
