import { DocumentEncoder } from '../../core/encode/document.ts';
import { Failure } from '../../core/failure.ts';
import type { TupleTargets } from '../../core/wal/held-row.ts';
import { decodeMessage, type RelationMessage, type WalBytes, type WalMessage } from '../../core/wal/pgoutput.ts';
import { mapRelation, onlyKey } from '../../core/wal/relation-map.ts';
import { type CollapsedTransaction, TransactionBuffer } from '../../core/wal/transaction.ts';
import type { Run } from '../build/run-state.ts';
import type { ChangeStream, StreamMessage } from '../ports.ts';
import { Breather } from './breather.ts';

/** What the replay applies, in stream order: a transaction (or a part of one), or a position up to which nothing concerns us. */
export type Step = { readonly kind: 'transaction'; readonly transaction: CollapsedTransaction } | { readonly kind: 'position'; readonly lsn: bigint };

/** Enough for a few lookups and bulks at a time; what waits is not yet garbage, and larger rounds were dearer (docs/servers.md C13). */
const ROUND_BYTES = 1 << 18;

/** What it needs of a run: the benchmark decodes a stream without one. */
export type StepReaderRun = Pick<Run, 'clock' | 'documents' | 'options' | 'table'>;

/** Turns the messages of the stream into steps; stops exactly at the fence. */
export class StepReader {
  readonly #run: StepReaderRun;
  readonly #buffer: TransactionBuffer;
  #stream: ChangeStream;
  readonly #breather: Breather;
  #targets: TupleTargets | null = null;
  #messages: readonly StreamMessage[] = [];
  #at = 0;

  constructor(run: StepReaderRun, stream: ChangeStream) {
    this.#run = run;
    this.#stream = stream;
    this.#breather = new Breather(run.clock);
    this.#buffer = new TransactionBuffer(new DocumentEncoder(run.documents), run.documents);
  }

  /** True if no transaction is half-read: what was read so far is whole. */
  get betweenTransactions(): boolean {
    return !this.#buffer.open;
  }

  /**
   * The next steps; none after `timeoutMs` without a message. With a fence, everything with `final_lsn < fence` comes, then `fenced` is true and the rest
   * stays for later. With `toCommit` they end at the first commit: there is none at the end of a round for long, where transactions are large.
   */
  async next(timeoutMs: number, fence: bigint | null, toCommit = false): Promise<{ readonly steps: readonly Step[]; readonly fenced: boolean }> {
    if (this.#at >= this.#messages.length) {
      this.#messages = await this.#stream.read(timeoutMs);
      this.#at = 0;
    }
    const steps: Step[] = [];
    let bytes = 0;
    this.#breather.start();
    while (this.#at < this.#messages.length && bytes < ROUND_BYTES && !this.#breather.due) {
      const message = this.#messages[this.#at] as StreamMessage;
      if (message.kind === 'keepalive') {
        this.#at++;
        if (this.#buffer.open) continue;
        addPosition(steps, message.walEnd);
        if (fence !== null && message.walEnd >= fence) return { steps, fenced: true };
        continue;
      }
      const decoded = decodeMessage(message);
      if (decoded.kind === 'begin' && fence !== null && decoded.finalLsn >= fence) return { steps, fenced: true };
      this.#at++;
      bytes += message.end - message.start;
      this.#take(message, decoded, steps);
      if (toCommit && decoded.kind === 'commit') break;
    }
    return { steps, fenced: false };
  }

  #take(bytes: WalBytes, message: WalMessage, steps: Step[]): void {
    const buffer = this.#buffer;
    switch (message.kind) {
      case 'begin':
        buffer.begin(message.finalLsn, message.xid);
        return;
      case 'commit':
        steps.push({ kind: 'transaction', transaction: buffer.commit(message.endLsn) });
        return;
      case 'relation':
        // With publish_via_partition_root the leaf's relation is sent too; changes always name the root.
        if (message.oid === this.#run.table.oid) this.#map(message);
        return;
      case 'insert':
        buffer.insert(bytes, message.after, this.#targetsOf(message.oid));
        break;
      case 'update':
        buffer.update(bytes, message, this.#targetsOf(message.oid));
        break;
      case 'delete':
        buffer.delete(bytes, message.before, message.identity === 'full', this.#targetsOf(message.oid));
        break;
      case 'truncate':
        if (message.oids.includes(this.#run.table.oid)) buffer.truncate();
        return;
      case 'type':
        return;
      case 'ignored':
        buffer.passOver(bytes);
        break;
    }
    if (buffer.byteLength > this.#run.options.transactionBytes) steps.push({ kind: 'transaction', transaction: buffer.takePart() });
  }

  #map(relation: RelationMessage): void {
    const { documents, table } = this.#run;
    const whole = mapRelation(relation, table, documents);
    this.#targets = { whole, key: onlyKey(whole, documents) };
  }

  #targetsOf(oid: number): TupleTargets {
    if (oid === this.#run.table.oid && this.#targets !== null) return this.#targets;
    throw new Failure('source-changed', `the stream names relation ${oid}, which is not the table of this build`, {
      hint: 'The publication or the table was replaced during the build. Run the same command again with --fresh.',
    });
  }
}

function addPosition(steps: Step[], lsn: bigint): void {
  if (steps.at(-1)?.kind === 'position') steps.pop();
  steps.push({ kind: 'position', lsn });
}
