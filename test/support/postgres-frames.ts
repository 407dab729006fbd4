/** The middle of a CopyData message within a packet. */
export interface MessageMiddle {
  /** 1, 2, 3 … on this connection. */
  readonly number: number;
  /** Position in the packet. */
  readonly offset: number;
}

const COPY_DATA = 0x64;
const COPY_OUT = 0x48;
const COPY_BOTH = 0x57;
const SSL_REFUSED = 0x4e;

/** Follows what a PostgreSQL server sends (type byte, length, content) far enough to count CopyData messages and to know what they are for. */
export class PostgresFrames {
  /** What the connection does since its last CopyOutResponse or CopyBothResponse. */
  mode: 'copy' | 'stream' | null = null;
  #rest: Buffer = Buffer.alloc(0);
  #messages = 0;

  /** The CopyData messages whose middle lies in this packet. */
  push(packet: Buffer): readonly MessageMiddle[] {
    const known = this.#rest.length;
    const bytes = Buffer.concat([this.#rest, packet]);
    const middles: MessageMiddle[] = [];
    let at = 0;
    while (at + 5 <= bytes.length && bytes[at] !== SSL_REFUSED) {
      const length = 1 + bytes.readInt32BE(at + 1);
      const type = bytes[at];
      if (type === COPY_OUT) this.mode = 'copy';
      if (type === COPY_BOTH) this.mode = 'stream';
      const middle = at + 5 + Math.floor((length - 5) / 2);
      if (type === COPY_DATA && middle >= known && middle < bytes.length) middles.push({ number: ++this.#messages, offset: middle - known });
      if (at + length > bytes.length) break;
      at += length;
    }
    this.#rest = bytes.subarray(at);
    return middles;
  }
}
