import type { Reporter } from '../../core/events.ts';
import { Failure } from '../../core/failure.ts';
import type { Sink } from '../sink-ports.ts';

/** The sink of an audit whose user may have no more than `read`: where it may not refresh, the index is read as of its last refresh. */
export class RefreshedSink {
  readonly port: Sink;
  #mayRefresh = true;

  constructor(sink: Sink, reporter: Reporter) {
    this.port = { ...sink, refresh: (index) => this.#refresh(sink, index, reporter) };
  }

  get mayRefresh(): boolean {
    return this.#mayRefresh;
  }

  async #refresh(sink: Sink, index: string, reporter: Reporter): Promise<void> {
    if (!this.#mayRefresh) return;
    try {
      await sink.refresh(index);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'denied') throw error;
      this.#mayRefresh = false;
      reporter.report({
        type: 'warning',
        code: 'no-refresh',
        message: `no privilege to refresh ${index}; it is read as of its own last refresh`,
        hint: 'Grant the index privilege maintenance, or choose a --settle longer than the refresh interval.',
      });
    }
  }
}
