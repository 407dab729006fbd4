import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const GARBAGE = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'garbage.js');
/** Objects that outlive many collections of the young make it grow. */
const SURVIVORS = `
  let kept = [];
  for (let i = 0; i < 2e6; i++) {
    kept.push({ i });
    if (kept.length > 1e5) kept = kept.slice(5e4);
  }
  const { getHeapSpaceStatistics } = await import('node:v8');
  console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);`;

function youngBytes(before: string): number {
  const code = `const { keepYoungGenerationSmall, suitYoungGeneration } = await import(${JSON.stringify(GARBAGE)}); ${before} ${SURVIVORS}`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' }));
}

test('the young generation stays at its first size where it is told to, and only as long', () => {
  assert.ok(youngBytes('') > 8 << 20);
  assert.ok(youngBytes('keepYoungGenerationSmall();') <= 2 << 20);
  assert.ok(youngBytes('keepYoungGenerationSmall(); suitYoungGeneration("catchup");') > 2 << 20);
  assert.ok(youngBytes('keepYoungGenerationSmall(); suitYoungGeneration("catchup"); suitYoungGeneration("verify");') <= 2 << 20);
  const again = ['catchup', 'verify', 'catchup'].map((phase) => `suitYoungGeneration("${phase}");`);
  assert.ok(youngBytes(`keepYoungGenerationSmall(); ${again.join(' ')}`) > 2 << 20);
});
