import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../../src/core/random.ts';

function draw(seed: string, count: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
}

test('a seed repeats its numbers, another one has others', () => {
  assert.deepEqual(draw('a', 20), draw('a', 20));
  assert.notDeepEqual(draw('a', 20), draw('b', 20));
});

test('they are spread over 0 to 1', () => {
  const tenths = new Map<number, number>();
  for (const number of draw('spread', 100_000)) {
    assert.ok(number >= 0 && number < 1);
    const tenth = Math.floor(number * 10);
    tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1);
  }
  for (let tenth = 0; tenth < 10; tenth++) assert.ok(Math.abs((tenths.get(tenth) ?? 0) - 10_000) < 600, `${tenth}: ${tenths.get(tenth)}`);
});
