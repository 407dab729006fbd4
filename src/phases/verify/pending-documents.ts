import { compareDocuments } from '../../core/verify/compare-json.ts';
import { documentDifference } from '../../core/verify/difference-ledger.ts';
import { BATCH_IDS } from '../flow/batches.ts';
import type { FrozenIndex, ScannedDocument } from '../sink-ports.ts';
import { type DifferenceSink, misplacement, type VerifyContext } from './comparison.ts';

/** Documents waiting for their counterpart, in bytes of the source's side. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

interface PendingDocument {
  readonly id: string;
  readonly document: Buffer;
  readonly key: readonly string[];
}

/** Rows' documents to be compared by value with those of the index, in batches: other bytes may say the same. */
export class PendingDocuments {
  readonly #context: Pick<VerifyContext, 'plan' | 'anyRouting' | 'audit'>;
  readonly #frozen: Pick<FrozenIndex, 'byIds'>;
  readonly #sink: DifferenceSink;
  #documents: PendingDocument[] = [];
  #bytes = 0;

  constructor(context: Pick<VerifyContext, 'plan' | 'anyRouting' | 'audit'>, frozen: Pick<FrozenIndex, 'byIds'>, sink: DifferenceSink) {
    this.#context = context;
    this.#frozen = frozen;
    this.#sink = sink;
  }

  add(id: string, document: Buffer, key: readonly string[]): void {
    this.#documents.push({ id, document: Buffer.from(document), key });
    this.#bytes += document.length;
  }

  async compareIfMany(): Promise<void> {
    if (this.#documents.length >= BATCH_IDS || this.#bytes >= MAX_PENDING_BYTES) await this.compareAll();
  }

  async compareAll(): Promise<void> {
    while (this.#documents.length > 0) await this.#compare(this.#documents.splice(0, BATCH_IDS));
    this.#bytes = 0;
  }

  async #compare(batch: readonly PendingDocument[]): Promise<void> {
    const stored = new Map<string, ScannedDocument[]>();
    for (const document of await this.#frozen.byIds(batch.map(({ id }) => id)))
      stored.set(document.id, [...(stored.get(document.id) ?? []), document]);
    for (const { id, document, key } of batch) this.#report(id, document, stored.get(id) ?? [], key);
  }

  /** Not there although a scan saw it: two ids with one hash, and then this row has no document. Several: somebody wrote one with a routing. */
  #report(id: string, document: Buffer, stored: readonly ScannedDocument[], key: readonly string[]): void {
    const [only] = stored;
    if (only === undefined) this.#sink.found(documentDifference(id, 'missing'), key);
    else if (stored.length > 1) this.#sink.found(documentDifference(id, 'extra'), key);
    else {
      const fields = [...compareDocuments(document, only.source), ...misplacement(this.#context, key, only)];
      if (fields.length > 0) this.#sink.found(documentDifference(id, 'different', fields), key);
    }
  }
}
