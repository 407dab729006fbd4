/** The messages of the streaming replication protocol (https://www.postgresql.org/docs/current/protocol-replication.html), as bytes. */

const XLOG_DATA = 0x77; // 'w'
const KEEPALIVE = 0x6b; // 'k'
const STATUS_UPDATE = 0x72; // 'r'
const XLOG_HEADER_BYTES = 25;
/** 2000-01-01, where PostgreSQL's clock starts, in microseconds of Unix time. */
const POSTGRES_EPOCH_US = 946_684_800_000_000n;

export type WalMessage =
  | { readonly kind: 'data'; readonly bytes: Buffer; readonly position: bigint }
  | { readonly kind: 'keepalive'; readonly walEnd: bigint; readonly replyRequested: boolean };

/** Parses one CopyData payload and copies what it keeps: pg-protocol uses its buffer again (docs/servers.md C2). Throws on an unknown message. */
export function parseWalMessage(payload: Buffer): WalMessage {
  const walStart = payload.readBigUInt64BE(1);
  if (payload[0] === KEEPALIVE) return { kind: 'keepalive', walEnd: walStart, replyRequested: payload[17] === 1 };
  if (payload[0] !== XLOG_DATA) throw new RangeError(`unknown replication message 0x${payload[0]?.toString(16)}`);
  const walEnd = payload.readBigUInt64BE(9);
  return { kind: 'data', bytes: Buffer.from(payload.subarray(XLOG_HEADER_BYTES)), position: walEnd > walStart ? walEnd : walStart };
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
