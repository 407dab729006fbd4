/** `pg_current_snapshot()`: which transactions a reader sees. All xids are 64-bit (`xid8`). */
export interface PgSnapshot {
  readonly xmin: bigint;
  readonly xmax: bigint;
  readonly inProgress: ReadonlySet<bigint>;
}

/** Parses PostgreSQL's `xmin:xmax:xip,xip…`; throws `RangeError` on anything else. */
export function parseSnapshot(text: string): PgSnapshot {
  const match = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) throw new RangeError(`not a snapshot: ${JSON.stringify(text)}`);
  const listed = match[3] === undefined || match[3] === '' ? [] : match[3].split(',').map(BigInt);
  return { xmin: BigInt(match[1]), xmax: BigInt(match[2]), inProgress: new Set(listed) };
}

/** True if the snapshot sees what the (committed) transaction wrote. */
export function isVisible(snapshot: PgSnapshot, xid: bigint): boolean {
  return xid < snapshot.xmax && !snapshot.inProgress.has(xid);
}

/**
 * The 64-bit xid of a 32-bit one from the stream (Begin carries no epoch): the one nearest to the snapshot's xmax. PostgreSQL never lets two
 * living xids lie further apart than 2³¹.
 */
export function widenXid(xid: number, near: bigint): bigint {
  const low = BigInt(xid >>> 0);
  const epoch = near & ~0xffffffffn;
  const candidate = epoch | low;
  const half = 1n << 31n;
  if (candidate - near > half && epoch > 0n) return candidate - (1n << 32n);
  if (near - candidate > half) return candidate + (1n << 32n);
  return candidate;
}
