/** Builds pgoutput messages byte by byte, after the protocol's page, for tests. */

import type { WalBytes } from '../../../src/core/wal/pgoutput.ts';

export type Value = string | null | undefined;

const u8 = (n: number): Buffer => Buffer.from([n]);
const u16 = (n: number): Buffer => Buffer.from([n >> 8, n & 255]);
const u32 = (n: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(n >>> 0);
  return bytes;
};
const u64 = (n: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(n);
  return bytes;
};
const text = (value: string): Buffer => Buffer.from(`${value}\0`);

/** `undefined` is an unchanged TOAST value. */
function tuple(values: readonly Value[]): Buffer {
  const parts = values.map((value) => {
    if (value === null) return Buffer.from('n');
    if (value === undefined) return Buffer.from('u');
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from('t'), u32(bytes.length), bytes]);
  });
  return Buffer.concat([u16(values.length), ...parts]);
}

export const begin = (finalLsn: bigint, xid: number): Buffer => Buffer.concat([Buffer.from('B'), u64(finalLsn), u64(0n), u32(xid)]);
export const commit = (commitLsn: bigint, endLsn: bigint): Buffer => Buffer.concat([Buffer.from('C'), u8(0), u64(commitLsn), u64(endLsn), u64(0n)]);
export const insert = (oid: number, after: readonly Value[]): Buffer => Buffer.concat([Buffer.from('I'), u32(oid), Buffer.from('N'), tuple(after)]);
export const remove = (oid: number, kind: 'K' | 'O', before: readonly Value[]): Buffer =>
  Buffer.concat([Buffer.from('D'), u32(oid), Buffer.from(kind), tuple(before)]);
export const truncate = (oids: readonly number[]): Buffer => Buffer.concat([Buffer.from('T'), u32(oids.length), u8(0), ...oids.map(u32)]);

export function update(oid: number, after: readonly Value[], old?: { readonly kind: 'K' | 'O'; readonly before: readonly Value[] }): Buffer {
  const before = old === undefined ? Buffer.alloc(0) : Buffer.concat([Buffer.from(old.kind), tuple(old.before)]);
  return Buffer.concat([Buffer.from('U'), u32(oid), before, Buffer.from('N'), tuple(after)]);
}

export function relation(oid: number, schema: string, name: string, columns: readonly { readonly name: string; readonly typeOid: number }[]): Buffer {
  const parts = columns.map((column) => Buffer.concat([u8(0), text(column.name), u32(column.typeOid), u32(0xffffffff)]));
  return Buffer.concat([Buffer.from('R'), u32(oid), text(schema), text(name), Buffer.from('d'), u16(columns.length), ...parts]);
}

/** The messages as they arrive: in one piece, between bytes that are not theirs. */
export function inOnePiece(messages: readonly Buffer[]): readonly WalBytes[] {
  const between = Buffer.from('IUDtun\u0001');
  const piece = Buffer.concat([between, ...messages.flatMap((message) => [message, between])]);
  let start = between.length;
  return messages.map(({ length }) => {
    const message = { piece, start, end: start + length };
    start = message.end + between.length;
    return message;
  });
}
