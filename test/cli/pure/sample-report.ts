import type { IndexResult, OutputEvent } from '../../../src/cli/output/output-event.ts';
import { KeyMask, type MaskRequest } from '../../../src/cli/report/key-mask.ts';
import type { Report } from '../../../src/cli/report/report-schema.ts';
import { RunWitness } from '../../../src/cli/report/run-witness.ts';
import type { RunEvent, VerifyReport } from '../../../src/core/events.ts';
import { DocumentHasher, loadHash } from '../../../src/core/verify/checksum.ts';
import { FIGURES, REPORT } from './sample-events.ts';

const hash = await loadHash();

/** A clock that stands where it is put. */
export class StillClock {
  nowMs = 0;
  now = (): number => this.nowMs;
  date = (): Date => new Date(Date.UTC(2026, 10, 29, 15, 40, 12) + this.nowMs);
}

export interface WitnessOptions {
  readonly command?: string;
  readonly mask?: Partial<MaskRequest>;
}

export function openWitness(clock: StillClock, { command = 'rebuild', mask = {} }: WitnessOptions = {}): RunWitness {
  return new RunWitness({
    command,
    tool: 'realign 0.1.0',
    mask: new KeyMask({ hashKeys: false, showValues: 'none', ...mask }, 'salt'),
    partitionOf: (id, partitions) => new DocumentHasher(hash, partitions).partition(Buffer.from(id)),
    again: (index, seed) => `realign ${command} ${index} --seed ${seed}`,
    clock,
  });
}

const PHASES: readonly (readonly [Extract<RunEvent, { type: 'phase.started' }>['phase'], number])[] = [
  ['preflight', 1_200],
  ['slot', 40],
  ['index', 110],
  ['load', 288_000],
  ['catchup', 420],
  ['verify', 32_000],
  ['swap', 80],
  ['cleanup', 210],
];

export interface Played {
  readonly witness: RunWitness;
  readonly clock: StillClock;
  readonly index: string;
  readonly verify: VerifyReport & { readonly passed: boolean };
  /** The phase in which it ends. */
  readonly last?: string;
}

/** A whole run of `index`, with figures that rise and fall like those of a busy night. */
export function play({ witness, clock, index, verify, last = 'cleanup' }: Played): void {
  const tell = (event: OutputEvent) => witness.observe(index, event);
  tell({ type: 'versions', postgres: '17.5', elasticsearch: '9.0.8', node: '20.20.0' });
  for (const [phase, durationMs] of PHASES) {
    tell({ type: 'phase.started', phase });
    if (phase === 'preflight') {
      tell({
        type: 'build.started',
        table: `public.${index}`,
        resumed: false,
        generation: `${index}-20261129t154012-k3f9`,
        slot: `realign_${index}_k3f9`,
      });
    }
    if (phase === 'load') playLoad(tell, clock, durationMs);
    else clock.nowMs += durationMs;
    if (phase === 'verify') tell({ type: 'verify.result', ...verify });
    if (phase === last && last !== 'cleanup') return;
    if (phase === 'swap') tell({ type: 'swap', alias: index, from: `${index}-20261112t090311-h81c`, to: `${index}-20261129t154012-k3f9` });
    tell({ type: 'phase.finished', phase, durationMs, detail: phase === 'slot' ? `realign_${index}_k3f9 at 5A/3F21C0D8` : '' });
  }
}

function playLoad(tell: (event: OutputEvent) => void, clock: StillClock, durationMs: number): void {
  const steps = 400;
  let [rows, retries] = [0, 0];
  for (let at = 0; at < steps; at++) {
    clock.nowMs += durationMs / steps;
    const slow = at > 180 && at < 230;
    rows += Math.round((slow ? 9_000 : 32_800) * (1 + 0.12 * Math.sin(at / 7)));
    if (slow && at % 6 === 0) retries += 1 + (at % 4);
    const lag = Math.round(2e6 * (1.2 + Math.sin(at / 11)) + (slow ? (at - 180) * 1.6e6 : 0));
    const figures = { ...FIGURES, rows, retries, changes: at * 45, lagBytes: String(lag), slotWalBytes: String(16e6 + (at % 90) * 1.1e6 + lag) };
    tell({ type: 'progress', phase: 'load', ...figures, rejected: 0, throttle: '' });
    if (at === 20) tell({ type: 'tuned', bulkJobs: 5, bulkBytes: 4 << 20, bytesPerSecond: 28_000_000, limit: 'sink' });
  }
}

/** `count` differing documents by the three kinds, with keys given by `keyOf`. */
export function drifted(count: number, keyOf: (at: number) => string = String): VerifyReport & { readonly passed: boolean } {
  const named = Array.from({ length: Math.min(count, 1000) }, (_, at) => keyOf(at));
  const differences = named.map((id, at): VerifyReport['differences'][number] => {
    if (at % 5 === 3) return { id, kind: 'missing', fields: [] };
    if (at % 5 === 4) return { id, kind: 'extra', fields: [] };
    const fields = at % 2 === 0 ? ['price'] : ['price', 'updated_at'];
    return { id, kind: 'different', fields, values: [{ field: 'price', postgres: `1${at}.90`, elasticsearch: `1${at}.899999` }] };
  });
  const partitionOf = (id: string) => new DocumentHasher(hash, 1024).partition(Buffer.from(id));
  const partitionsDiffering = [...new Set(named.map(partitionOf))].sort((a, b) => a - b);
  const partitionsEqual = 1024 - partitionsDiffering.length;
  return { ...REPORT, passed: false, partitionsDiffering, partitionsEqual, differences, differenceCount: count, documents: REPORT.rows };
}

export const PASSED = { ...REPORT, passed: true, partitionsDiffering: [] };

export function indexResult(index: string, exitCode: number): IndexResult {
  const result = exitCode === 0 ? 'succeeded' : exitCode === 130 ? 'interrupted' : 'failed';
  return { index, result, exit_code: exitCode, build: 'k3f9', generation: `${index}-20261129t154012-k3f9`, previous: null };
}

export const VETO: OutputEvent = {
  type: 'error',
  kind: 'verification-failed',
  message: 'verification failed: 37 documents differ',
  hint: 'Nothing was swapped; look at the named documents.',
  unchanged: 'Not swapped: readers of products see what they saw before.',
  next: ['realign audit products --index products-20261129t154012-k3f9', 'realign abort products   (removes it)'],
  exit_code: 22,
};

/** The report of one rebuild that was swapped. */
export function passedReport(): Report {
  const clock = new StillClock();
  const witness = openWitness(clock);
  play({ witness, clock, index: 'products', verify: PASSED });
  return witness.report({ result: 'succeeded', exit_code: 0, indices: [indexResult('products', 0)] });
}

/** The report of one rebuild that was not swapped. */
export function failedReport(options: WitnessOptions = {}, count = 37, keyOf: (at: number) => string = (at) => String(88_213 + at * 977)): Report {
  const clock = new StillClock();
  const witness = openWitness(clock, options);
  play({ witness, clock, index: 'products', verify: drifted(count, keyOf), last: 'verify' });
  witness.observe('products', VETO);
  return witness.report({ result: 'failed', exit_code: 22, indices: [indexResult('products', 22)] });
}
