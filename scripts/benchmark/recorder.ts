import type { NamedFigures } from './cases.ts';
import { type Figures, type Summary, summarize } from './figures.ts';

/** Progress goes to stderr: stdout has the report. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Keeps what the cases measure, and goes on behind one that fails. */
export class Recorder {
  readonly #runs = new Map<string, Figures[]>();
  readonly #cleanUp: () => Promise<void>;
  #failed = false;

  /** `cleanUp` removes what a case has left that failed. */
  constructor(cleanUp: () => Promise<void>) {
    this.#cleanUp = cleanUp;
  }

  get failed(): boolean {
    return this.#failed;
  }

  take(named: NamedFigures): void {
    for (const [name, figures] of named) {
      this.#runs.set(name, [...(this.#runs.get(name) ?? []), figures]);
      say(`  ${name}: ${Math.round(figures.rowsPerSecond)}/s, node ${figures.nodeUs.toFixed(1)} us`);
    }
  }

  /** A case that fails must not take the figures of the others with it; the run then ends with 1. */
  async attempt<T>(name: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      say(`${name} failed: ${error instanceof Error ? error.stack : error}`);
      this.#failed = true;
      await this.#cleanUp().catch((left: unknown) => say(`and cleaning up: ${left}`));
      return null;
    }
  }

  summaries(): readonly Summary[] {
    return [...this.#runs].map(([name, figures]) => summarize(name, figures));
  }

  summary(name: string): Summary | undefined {
    return this.summaries().find((summary) => summary.name === name);
  }
}
