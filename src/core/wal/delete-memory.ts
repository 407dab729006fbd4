import { isVisible, type PgSnapshot, widenXid } from './snapshot.ts';

/** A delete that went to the sink while the load was running. */
export interface SentDelete {
  readonly id: Buffer;
  readonly version: bigint;
  readonly xid: number;
}

/**
 * Rule R3: Elasticsearch forgets deletes, so a chunk row read before a delete may bring the document back when it is written after it. Deletes are
 * kept here from before they are sent until every later chunk must see them.
 */
export class DeleteMemory {
  #deletes: SentDelete[] = [];
  #byteLength = 0;

  get size(): number {
    return this.#deletes.length;
  }

  get byteLength(): number {
    return this.#byteLength;
  }

  remember(sent: SentDelete): void {
    this.#deletes.push(sent);
    this.#byteLength += 64 + sent.id.length;
  }

  /** The deletes that a chunk read in `snapshot` did not see. */
  unseenBy(snapshot: PgSnapshot): SentDelete[] {
    return this.#deletes.filter((sent) => !isVisible(snapshot, widenXid(sent.xid, snapshot.xmax)));
  }

  /** Forgets what every snapshot with an xmin of at least `xmin` sees. Only call it with the smallest xmin of the chunks in flight and the newest one. */
  forgetBelow(xmin: bigint): void {
    this.#deletes = this.#deletes.filter((sent) => widenXid(sent.xid, xmin) >= xmin);
    this.#byteLength = this.#deletes.reduce((sum, sent) => sum + 64 + sent.id.length, 0);
  }

  clear(): void {
    this.#deletes = [];
    this.#byteLength = 0;
  }
}
