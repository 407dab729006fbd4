/**
 * The candidate most like `word`, or null if none is close enough to be a likely typing mistake (a third of its letters, at most three) and none has its three or more
 * letters as its beginning.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? longForm(word.toLowerCase(), candidates);
}

/** The shortest candidate of which `word` is the beginning: `--sett` is short for --settle. */
function longForm(word: string, candidates: Iterable<string>): string | null {
  if (word.length < 3) return null;
  const longer = [...candidates].filter((candidate) => candidate.toLowerCase().startsWith(word));
  return longer.sort((a, b) => a.length - b.length)[0] ?? null;
}

/** `; did you mean "x"?` or nothing: the end of every message about an unknown name. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const name = nearest(word, candidates);
  return meant(name === null ? null : `"${name}"`);
}

/** The same for a name that was looked for elsewhere, written as it is to be typed. */
export function meant(name: string | null): string {
  return name === null ? '' : `; did you mean ${name}?`;
}

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replace = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      let distance = Math.min(replace, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
