const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
/** CopyOutResponse, and what may come between the rows: ParameterStatus, NoticeResponse, NotificationResponse. */
const PASSED_OVER: ReadonlySet<number> = new Set([0x48, 0x53, 0x4e, 0x41]);
const NEWLINE = 0x0a;
/** Code and length; the length counts itself. */
const HEADER = 5;

/**
 * Takes the rows out of the messages of a `COPY … TO STDOUT` as the server sends them: each row is a message of its own
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html, "CopyData").
 */
export class CopyFrames {
  /** The complete rows so far. */
  rows = 0;
  /** Once the COPY has ended: the bytes behind it, for whoever reads the protocol. An error's own message is among them. */
  rest: Buffer | null = null;
  /** True if a message did not end where a row does. */
  damaged = false;
  /** Of the message at hand. */
  #left = 0;
  #isRow = false;
  /** The beginning of a header whose end has not arrived. */
  #begun: Buffer | null = null;

  /** The text of the rows in these bytes: a view of them, moved together in place. Call it no more once there is a `rest`. */
  push(arrived: Buffer): Buffer {
    const bytes = this.#begun === null ? arrived : Buffer.concat([this.#begun, arrived]);
    this.#begun = null;
    let text = 0;
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        if (bytes.length - at < HEADER) {
          this.#begun = Buffer.from(bytes.subarray(at));
          break;
        }
        at = this.#open(bytes, at);
        if (this.rest !== null) break;
      }
      const end = Math.min(at + this.#left, bytes.length);
      this.#left -= end - at;
      if (this.#isRow) {
        bytes.copyWithin(text, at, end);
        text += end - at;
        if (this.#left === 0) this.#close(bytes[text - 1]);
      }
      at = end;
    }
    return bytes.subarray(0, text);
  }

  /** Reads the header at `at`; the position behind it. */
  #open(bytes: Buffer, at: number): number {
    const code = bytes[at] as number;
    this.#isRow = code === COPY_DATA;
    if (!this.#isRow && !PASSED_OVER.has(code)) {
      this.rest = bytes.subarray(code === COPY_DONE ? at + HEADER : at);
      return at;
    }
    this.#left = bytes.readUInt32BE(at + 1) - 4;
    return at + HEADER;
  }

  #close(last: number | undefined): void {
    this.rows++;
    if (last !== NEWLINE) this.damaged = true;
  }
}
