import type { BuildState } from '../../core/plan/build-state.ts';
import { nameInSql } from '../../core/table.ts';
import type { PassingReport } from '../../core/verify/passing-report.ts';
import type { Run } from '../build/run-state.ts';

/** What somebody who may refuse the swap is told. */
export interface SwapQuestion {
  readonly alias: string;
  readonly table: string;
  readonly build: string;
  /** The generation that would be swapped in; it can be searched by this name. */
  readonly generation: string;
  /** The generation the alias is on; null on a first build. */
  readonly previous: string | null;
  readonly rows: number;
  readonly documents: number;
  readonly rejected: number;
  readonly fenceLsn: string;
  readonly mode: string;
}

/** Asked once between the proof and the swap, while the replay goes on. Throws `swap-vetoed` to keep the alias where it is; the build can then be resumed, and asks again. */
export interface SwapGate {
  ask(question: SwapQuestion, signal: AbortSignal): Promise<void>;
}

/** Puts the question to the gate, if there is one. */
export async function askGate(run: Run, { build, previous }: BuildState, report: PassingReport): Promise<void> {
  const { swapGate, config, names, table, signal } = run;
  if (swapGate === undefined) return;
  const { rows, documents, rejected, fenceLsn, mode } = report;
  const proof = { rows, documents, rejected, fenceLsn, mode };
  await swapGate.ask({ alias: config.alias, table: nameInSql(table), build, generation: names.index, previous, ...proof }, signal);
}
