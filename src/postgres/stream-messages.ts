/** The messages of the streaming replication protocol (https://www.postgresql.org/docs/current/protocol-replication.html), as bytes. */
import type { StreamMessage } from '../phases/ports.ts';

const XLOG_DATA = 0x77; // 'w'
const KEEPALIVE = 0x6b; // 'k'
const STATUS_UPDATE = 0x72; // 'r'
const XLOG_HEADER_BYTES = 25;
/** 2000-01-01, where PostgreSQL's clock starts, in microseconds of Unix time. */
const POSTGRES_EPOCH_US = 946_684_800_000_000n;

/** Reads the contents of one CopyData, `bytes[start, end)`: a pgoutput message lies in them. Throws on an unknown message. */
export function parseWalMessage(bytes: Buffer, start: number, end: number): StreamMessage & { readonly replyRequested?: boolean } {
  const kind = bytes[start];
  if (kind === XLOG_DATA) return { kind: 'data', piece: bytes, start: start + XLOG_HEADER_BYTES, end };
  if (kind === KEEPALIVE) return { kind: 'keepalive', walEnd: bytes.readBigUInt64BE(start + 1), replyRequested: bytes[start + 17] === 1 };
  throw new RangeError(`unknown replication message 0x${kind?.toString(16)}`);
}

/** The highest position that any message has told, in two halves: a bigint for each message would cost more than to read it. */
export class HighestPosition {
  #high = 0;
  #low = 0;

  constructor(lsn: bigint) {
    this.#high = Number(lsn >> 32n);
    this.#low = Number(lsn & 0xffffffffn);
  }

  get lsn(): bigint {
    return (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }

  /** `bytes` is as for `parseWalMessage`: a keepalive has one position, data have two. */
  see(bytes: Buffer, start: number): void {
    this.#raise(bytes, start + 1);
    if (bytes[start] === XLOG_DATA) this.#raise(bytes, start + 9);
  }

  #raise(bytes: Buffer, at: number): void {
    const high = bytes.readUInt32BE(at);
    const low = bytes.readUInt32BE(at + 4);
    if (high < this.#high || (high === this.#high && low <= this.#low)) return;
    this.#high = high;
    this.#low = low;
  }
}

/** A standby status update that confirms exactly `lsn` (only the flush field counts: docs/servers.md P27). */
export function statusUpdate(lsn: bigint, nowMs: number, replyRequested: boolean): Buffer {
  const message = Buffer.alloc(34);
  message[0] = STATUS_UPDATE;
  message.writeBigUInt64BE(lsn, 1);
  message.writeBigUInt64BE(lsn, 9);
  message.writeBigUInt64BE(lsn, 17);
  message.writeBigInt64BE(BigInt(Math.trunc(nowMs)) * 1000n - POSTGRES_EPOCH_US, 25);
  message[33] = replyRequested ? 1 : 0;
  return message;
}
