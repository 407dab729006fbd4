/** One thing that can happen next: what to call it, and the state after it. */
export interface Step<S> {
  readonly label: string;
  readonly next: S;
}

/** A system whose states can all be visited. */
export interface Model<S> {
  readonly initial: S;
  /** Everything that can happen in `state`. */
  steps(state: S): Iterable<Step<S>>;
  /** What must never be true in a state, in words; null if all is well. */
  violation(state: S): string | null;
  /** Equal for states that behave alike. */
  key(state: S): string;
}

export interface Explored {
  /** Distinct states visited. */
  readonly states: number;
  /** Null if no state violates anything. */
  readonly found: { readonly violation: string; readonly trace: readonly string[] } | null;
}

/** Where a state was reached from first. */
interface Origin {
  readonly from: Origin | null;
  readonly label: string;
}

/** Visits every state, nearest first, so that the trace to a violation is a shortest one. Throws `RangeError` beyond `limit` states: then nothing is proved. */
export function explore<S>(model: Model<S>, limit: number): Explored {
  const seen = new Set([model.key(model.initial)]);
  let layer: { readonly state: S; readonly origin: Origin | null }[] = [{ state: model.initial, origin: null }];
  while (layer.length > 0) {
    const following: typeof layer = [];
    for (const { state, origin } of layer) {
      const violation = model.violation(state);
      if (violation !== null) return { states: seen.size, found: { violation, trace: traceTo(origin) } };
      for (const { label, next } of model.steps(state)) {
        const key = model.key(next);
        if (seen.has(key)) continue;
        seen.add(key);
        following.push({ state: next, origin: { from: origin, label } });
      }
    }
    if (seen.size > limit) throw new RangeError(`more than ${limit} states: make the scenario smaller`);
    layer = following;
  }
  return { states: seen.size, found: null };
}

function traceTo(origin: Origin | null): string[] {
  const labels: string[] = [];
  for (let at = origin; at !== null; at = at.from) labels.push(at.label);
  return labels.reverse();
}
