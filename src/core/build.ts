import type { BuildPhase, BuildState } from './plan/build-state.ts';
import type { PassingReport } from './verify/passing-report.ts';

/** A generation that exists: its state, and the UUID that proves it is the index that was created. */
export interface Built {
  readonly state: BuildState;
  readonly uuid: string;
}

/**
 * Where a build stands. Each member carries exactly what its phase needs, so that the wrong order does not type-check: a swap can only be built from a passing report.
 * The table in docs/states.md says the same; a test compares the two.
 */
export type Build =
  | { readonly at: 'slot' }
  | { readonly at: 'index'; readonly cp: bigint }
  | { readonly at: 'load'; readonly built: Built }
  | { readonly at: 'catchup'; readonly built: Built }
  | { readonly at: 'verify'; readonly built: Built }
  | { readonly at: 'hold'; readonly built: Built; readonly report: PassingReport }
  | { readonly at: 'swap'; readonly built: Built; readonly report: PassingReport }
  | { readonly at: 'cleanup'; readonly built: Built; readonly report: PassingReport | null }
  | { readonly at: 'follow'; readonly built: Built; readonly report: PassingReport | null; readonly deleted: readonly string[] }
  | { readonly at: 'finished'; readonly built: Built; readonly report: PassingReport | null; readonly deleted: readonly string[] };

/** What performing a phase came to. Failures are thrown, not returned. */
export type Outcome =
  | { readonly kind: 'slot-ready'; readonly cp: bigint }
  | { readonly kind: 'index-ready'; readonly built: Built }
  | { readonly kind: 'loaded'; readonly built: Built }
  | { readonly kind: 'caught-up'; readonly built: Built }
  | { readonly kind: 'verified'; readonly built: Built; readonly report: PassingReport }
  | { readonly kind: 'released'; readonly built: Built; readonly report: PassingReport }
  | { readonly kind: 'swapped'; readonly built: Built }
  | { readonly kind: 'cleaned'; readonly built: Built; readonly deleted: readonly string[] }
  | { readonly kind: 'kept-open'; readonly built: Built; readonly deleted: readonly string[] }
  | { readonly kind: 'left'; readonly built: Built };

/** The next state; throws `RangeError` (a bug) if the outcome does not belong to the state. */
export function transition(build: Build, outcome: Outcome): Build {
  switch (outcome.kind) {
    case 'slot-ready':
      if (build.at === 'slot') return { at: 'index', cp: outcome.cp };
      break;
    case 'index-ready':
      if (build.at === 'index') return { at: 'load', built: outcome.built };
      break;
    case 'loaded':
      if (build.at === 'load') return { at: 'catchup', built: outcome.built };
      break;
    case 'caught-up':
      if (build.at === 'catchup') return { at: 'verify', built: outcome.built };
      break;
    case 'verified':
      if (build.at === 'verify') return { at: 'hold', built: outcome.built, report: outcome.report };
      break;
    case 'released':
      if (build.at === 'hold') return { at: 'swap', built: outcome.built, report: outcome.report };
      break;
    case 'swapped':
      if (build.at === 'swap') return { at: 'cleanup', built: outcome.built, report: build.report };
      break;
    case 'cleaned':
      if (build.at === 'cleanup') return { at: 'finished', built: outcome.built, report: build.report, deleted: outcome.deleted };
      break;
    case 'kept-open':
      if (build.at === 'cleanup') return { at: 'follow', built: outcome.built, report: build.report, deleted: outcome.deleted };
      break;
    case 'left':
      if (build.at === 'follow') return { at: 'finished', built: outcome.built, report: build.report, deleted: build.deleted };
      break;
  }
  throw new RangeError(`BUG: outcome ${outcome.kind} in state ${build.at}`);
}

/** Where the same command goes on after a crash; null if the build is over (finished or failed) and a new one starts. */
export function resume(built: Built, aliasIsOnIt: boolean): Build | null {
  const { phase } = built.state;
  if (phase === 'finished' || phase === 'failed') return null;
  // A follower whose alias has moved away has nothing to go on with.
  if (phase === 'follow') return aliasIsOnIt ? { at: 'follow', built, report: null, deleted: [] } : null;
  // Killed between the swap and its record: the alias tells (docs/faults.md F9).
  if (aliasIsOnIt) return { at: 'cleanup', built, report: null };
  return resumeUnswapped(phase, built);
}

function resumeUnswapped(phase: Exclude<BuildPhase, 'follow' | 'finished' | 'failed'>, built: Built): Build {
  switch (phase) {
    case 'load':
      return { at: 'load', built };
    case 'catchup':
    case 'verify':
    case 'hold':
    case 'swap':
    // The alias was moved away again after our swap: prove the index anew before it is swapped in again.
    case 'cleanup':
      return { at: 'catchup', built };
  }
}
