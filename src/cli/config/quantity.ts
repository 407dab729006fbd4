/** Durations and sizes as people write them. A bare number is refused everywhere: its unit would be a guess. */
export const DURATION_PATTERN = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
export const SIZE_PATTERN = /^(\d+(?:\.\d+)?)(B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;
export const DURATION_EXPECTED = 'expected a duration with its unit, such as 30s, 15m or 2h';
export const SIZE_EXPECTED = 'expected a size with its unit, such as 5MiB or 20GiB';
export const ABOVE_ZERO = 'expected more than zero';

const MILLISECONDS: { readonly [unit: string]: number } = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES: { readonly [unit: string]: number } = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Milliseconds, or null if the text is not a duration. */
export function parseDuration(text: string): number | null {
  return parseQuantity(text, DURATION_PATTERN, MILLISECONDS);
}

/** Bytes, or null if the text is not a size. */
export function parseSize(text: string): number | null {
  return parseQuantity(text, SIZE_PATTERN, BYTES);
}

function parseQuantity(text: string, pattern: RegExp, units: { readonly [unit: string]: number }): number | null {
  const match = pattern.exec(text);
  const unit = match?.[2] === undefined ? undefined : units[match[2]];
  if (match?.[1] === undefined || unit === undefined) return null;
  const value = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(value) ? value : null;
}

/** `1.2s`, `5m 31s`, `2h 5m`: for transcripts. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)}s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${whole % 60}s`;
  return `${Math.floor(whole / 3600)}h ${Math.floor((whole % 3600) / 60)}m`;
}

/** `340 MiB`, `9.8 GiB`: the units in which limits are written, so that `20GiB` comes back as it was typed. */
export function formatBytes(bytes: number | bigint): string {
  let value = Number(bytes);
  for (const unit of ['B', 'KiB', 'MiB', 'GiB', 'TiB']) {
    if (value < 1023.5 || unit === 'TiB') return `${value < 10 && !Number.isInteger(value) ? value.toFixed(1) : Math.round(value)} ${unit}`;
    value /= 1024;
  }
  return `${bytes} B`;
}

/** `1 row`, `12,404,551 rows`; `many` where an s is not enough. */
export function formatCounted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${Math.round(count) === 1 ? one : many}`;
}

/** `12,404,551`: the same in every locale. */
export function formatCount(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}
