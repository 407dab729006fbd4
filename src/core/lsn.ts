/**
 * Log sequence numbers as `bigint`: byte positions in the write-ahead log, 0 … 2⁶⁴−1.
 * Never compare their texts: `"9/0" > "10/0"` (docs/servers.md P10).
 */

const LSN = /^([0-9A-Fa-f]{1,8})\/([0-9A-Fa-f]{1,8})$/;

/** Parses PostgreSQL's `XXXXXXXX/XXXXXXXX`; throws `RangeError` on anything else. */
export function parseLsn(text: string): bigint {
  const match = LSN.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) throw new RangeError(`not an LSN: ${JSON.stringify(text)}`);
  return (BigInt(`0x${match[1]}`) << 32n) | BigInt(`0x${match[2]}`);
}

/** Formats an LSN as PostgreSQL prints it. */
export function formatLsn(lsn: bigint): string {
  return `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`;
}
