/** What the table knows of a document that the other side has. */
export type Match = 'absent' | 'equal' | 'different';

const EMPTY = 0;
const WAITING = 1;
const MATCHED = 2;

/**
 * The (id hash, document hash) pairs of one side, to match the other side against: 17 bytes a slot outside the JavaScript heap (two million ids: 71 MB).
 * The same id hash may be put twice; each put is matched by one document.
 */
export class HashTable {
  readonly #ids: BigUint64Array;
  readonly #documents: BigUint64Array;
  readonly #states: Uint8Array;
  readonly #mask: number;
  #waiting = 0;

  /** Room for `capacity` pairs at a load of at most one half. */
  constructor(capacity: number) {
    let slots = 16;
    while (slots < capacity * 2) slots *= 2;
    this.#ids = new BigUint64Array(slots);
    this.#documents = new BigUint64Array(slots);
    this.#states = new Uint8Array(slots);
    this.#mask = slots - 1;
  }

  /** Pairs not matched so far. */
  get waiting(): number {
    return this.#waiting;
  }

  put(idHash: bigint, documentHash: bigint): void {
    let slot = this.#home(idHash);
    while (this.#states[slot] !== EMPTY) slot = (slot + 1) & this.#mask;
    this.#ids[slot] = idHash;
    this.#documents[slot] = documentHash;
    this.#states[slot] = WAITING;
    this.#waiting++;
  }

  /** Takes the pair of this document out of the waiting ones; prefers an equal one. */
  match(idHash: bigint, documentHash: bigint): Match {
    let different = -1;
    for (let slot = this.#home(idHash); this.#states[slot] !== EMPTY; slot = (slot + 1) & this.#mask) {
      if (this.#states[slot] !== WAITING || this.#ids[slot] !== idHash) continue;
      if (this.#documents[slot] === documentHash) return this.#take(slot, 'equal');
      different = slot;
    }
    return different < 0 ? 'absent' : this.#take(different, 'different');
  }

  #take(slot: number, match: Match): Match {
    this.#states[slot] = MATCHED;
    this.#waiting--;
    return match;
  }

  #home(idHash: bigint): number {
    return Number(idHash & 0x7fffffffn) & this.#mask;
  }
}
