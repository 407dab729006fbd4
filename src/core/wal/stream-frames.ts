const COPY_DATA = 0x64;
/** Code and length; the length counts itself. */
const HEADER = 5;

/** `[start, end)` of `bytes`. */
export type OnPart = (bytes: Buffer, start: number, end: number) => void;

/**
 * Cuts what arrives of a replication stream into messages of the protocol (https://www.postgresql.org/docs/current/protocol-message-formats.html): `onData` gets the contents of
 * each CopyData, `onOther` every other message whole. What they get stays valid: nothing is written into it again.
 */
export class StreamFrames {
  readonly #onData: OnPart;
  readonly #onOther: OnPart;
  /** The pieces so far of a message whose end has not arrived. */
  #begun: Buffer[] = [];
  #begunBytes = 0;

  constructor(onData: OnPart, onOther: OnPart) {
    this.#onData = onData;
    this.#onOther = onOther;
  }

  /** What has arrived of a message whose end has not, for whoever reads the protocol behind this. */
  get begun(): Buffer {
    return Buffer.concat(this.#begun);
  }

  push(arrived: Buffer): void {
    let at = this.#begunBytes === 0 ? 0 : this.#finishBegun(arrived);
    for (;;) {
      const end = arrived.length - at < HEADER ? Number.POSITIVE_INFINITY : endOf(arrived, at);
      if (end > arrived.length) break;
      this.#deliver(arrived, at, end);
      at = end;
    }
    if (at < arrived.length) this.#keep(arrived.subarray(at));
  }

  /** Adds to the message at hand what it lacks: its header first, for that says how much. Returns the position behind that. */
  #finishBegun(arrived: Buffer): number {
    const at = this.#fill(arrived, 0, HEADER);
    if (this.#begunBytes < HEADER) return at;
    if (this.#begun.length > 1 && (this.#begun[0] as Buffer).length < HEADER) this.#begun = [this.begun];
    const length = endOf(this.#begun[0] as Buffer, 0);
    const next = this.#fill(arrived, at, length);
    if (this.#begunBytes < length) return next;
    const message = this.begun;
    this.#begun = [];
    this.#begunBytes = 0;
    this.#deliver(message, 0, length);
    return next;
  }

  /** Takes from `arrived`, from `at` on, until `wanted` bytes are held. Returns the position behind what was taken. */
  #fill(arrived: Buffer, at: number, wanted: number): number {
    const end = Math.min(arrived.length, at + Math.max(0, wanted - this.#begunBytes));
    if (end > at) this.#keep(arrived.subarray(at, end));
    return end;
  }

  #keep(piece: Buffer): void {
    this.#begun.push(piece);
    this.#begunBytes += piece.length;
  }

  #deliver(bytes: Buffer, start: number, end: number): void {
    if (bytes[start] === COPY_DATA) this.#onData(bytes, start + HEADER, end);
    else this.#onOther(bytes, start, end);
  }
}

/** Of the message whose header is at `at`. */
function endOf(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at + 1);
  if (length < 4) throw new RangeError(`a message of the server says that it is ${length} bytes long`);
  return at + 1 + length;
}
