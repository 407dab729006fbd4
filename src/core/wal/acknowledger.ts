import { isVisible, type PgSnapshot, widenXid } from './snapshot.ts';
import type { DurableCommit } from './watermark.ts';

/**
 * Rule R4: decides which position may be confirmed to the slot. Never past an operation that is not durable (only durable commits are offered), never
 * past what the snapshot of a chunk still in flight is known to show, and never past a commit that is not visible yet, so that after a crash the deletes of R3 come again.
 */
export class Acknowledger {
  #waiting: DurableCommit[] = [];
  #visibleLsn: bigint;
  #ackedLsn: bigint;
  readonly #floors = new Map<number, bigint>();
  #nextFloor = 0;

  constructor(startLsn: bigint) {
    this.#visibleLsn = startLsn;
    this.#ackedLsn = startLsn;
  }

  /** What may be confirmed; only ever grows. */
  get ackedLsn(): bigint {
    return this.#ackedLsn;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Of the durable commits that no snapshot has been seen to show yet. */
  get unseenXids(): ReadonlySet<number> {
    return new Set(this.#waiting.flatMap(({ xid }) => (xid === null ? [] : [xid])));
  }

  offer(commits: readonly DurableCommit[]): void {
    for (const commit of commits) this.#waiting.push(commit);
  }

  /** `snapshot` must be younger than every commit offered so far that it is to release. */
  observe(snapshot: PgSnapshot): bigint {
    let released = 0;
    for (const commit of this.#waiting) {
      if (commit.xid !== null && !isVisible(snapshot, widenXid(commit.xid, snapshot.xmax))) break;
      if (commit.endLsn > this.#visibleLsn) this.#visibleLsn = commit.endLsn;
      released++;
    }
    this.#waiting.splice(0, released);
    return this.#raise();
  }

  /**
   * Call before the chunk's snapshot is taken: what was seen to be visible by now is visible in it. That, and not what is acknowledged, is its floor: another chunk in flight
   * holds that back, and of chunks that overlap each would stand where the first one stood, so that the slot kept the WAL of the whole load. Returns the key for `chunkFinished`.
   */
  chunkStarted(): number {
    this.#floors.set(this.#nextFloor, this.#visibleLsn);
    return this.#nextFloor++;
  }

  chunkFinished(key: number): void {
    this.#floors.delete(key);
    this.#raise();
  }

  /**
   * The stream starts again at what is confirmed: everything behind it comes again and must be offered again. What a chunk's floor held back was seen to be visible,
   * but until it is applied again it is not durable (see `Watermark.restart`), and the new stream has not received it yet.
   */
  restart(): void {
    this.#waiting = [];
    this.#visibleLsn = this.#ackedLsn;
  }

  #raise(): bigint {
    let limit = this.#visibleLsn;
    for (const floor of this.#floors.values()) if (floor < limit) limit = floor;
    if (limit > this.#ackedLsn) this.#ackedLsn = limit;
    return this.#ackedLsn;
  }
}
