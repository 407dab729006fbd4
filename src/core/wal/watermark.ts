/** One transaction (or position) on its way to the sink. */
export interface Ticket {
  /** Operations that are not durable yet. */
  outstanding: number;
  /** Null until the commit was read. */
  endLsn: bigint | null;
  readonly xid: number | null;
}

/** A commit that is durable in the sink; it may be confirmed to the slot once `xid` is visible. */
export interface DurableCommit {
  readonly endLsn: bigint;
  readonly xid: number | null;
}

/**
 * Says up to where everything is durable: commits are opened in stream order, finish in any order, and count only when all before them
 * have finished (rule R4).
 */
export class Watermark {
  #queue: Ticket[] = [];
  #head = 0;
  #durableLsn: bigint;

  constructor(startLsn: bigint) {
    this.#durableLsn = startLsn;
  }

  get durableLsn(): bigint {
    return this.#durableLsn;
  }

  get pending(): number {
    return this.#queue.length - this.#head;
  }

  open(xid: number | null): Ticket {
    const ticket: Ticket = { outstanding: 0, endLsn: null, xid };
    this.#queue.push(ticket);
    return ticket;
  }

  /** Of the stream, up to which nothing concerns us besides what was opened. Positions in a row are one, however many come while something before them is not durable. */
  reached(lsn: bigint): void {
    const last = this.#queue.length > this.#head ? this.#queue.at(-1) : undefined;
    if (last !== undefined && last.xid === null) last.endLsn = lsn > (last.endLsn ?? 0n) ? lsn : last.endLsn;
    else this.open(null).endLsn = lsn;
  }

  /** Removes the finished commits from the front, oldest first. */
  advance(): DurableCommit[] {
    const finished: DurableCommit[] = [];
    for (let ticket = this.#queue[this.#head]; ticket !== undefined; ticket = this.#queue[this.#head]) {
      if (ticket.endLsn === null || ticket.outstanding > 0) break;
      finished.push({ endLsn: ticket.endLsn, xid: ticket.xid });
      if (ticket.endLsn > this.#durableLsn) this.#durableLsn = ticket.endLsn;
      this.#head++;
    }
    if (this.#head > 1024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return finished;
  }

  /**
   * The stream starts again at `startLsn`: what follows comes again. Until it is applied again it does not count as durable, because an old insert that is
   * repeated may bring a document back for as long as its delete is not repeated too (its tombstone may be forgotten).
   */
  restart(startLsn: bigint): void {
    this.#queue = [];
    this.#head = 0;
    this.#durableLsn = startLsn;
  }
}
