// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what is tested here
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEnvironment } from '../../../src/cli/config/environment.ts';
import { interpolate } from '../../../src/cli/config/interpolate.ts';
import { formatBytes, formatCount, formatDuration, parseDuration, parseSize } from '../../../src/cli/config/quantity.ts';
import { didYouMean, nearest } from '../../../src/core/nearest-name.ts';

test('durations need their unit', () => {
  assert.equal(parseDuration('30s'), 30_000);
  assert.equal(parseDuration('1.5h'), 5_400_000);
  assert.equal(parseDuration('250ms'), 250);
  assert.equal(parseDuration('2d'), 172_800_000);
  for (const wrong of ['30', '', 's', '30 s', '-1s', '1e3s', '30sec', '30S']) assert.equal(parseDuration(wrong), null, wrong);
});

test('sizes: binary and decimal units, no bare numbers', () => {
  assert.equal(parseSize('5MiB'), 5 * 2 ** 20);
  assert.equal(parseSize('20GiB'), 20 * 2 ** 30);
  assert.equal(parseSize('1MB'), 1_000_000);
  assert.equal(parseSize('0.5KiB'), 512);
  for (const wrong of ['5', '5M', '5 MiB', 'MiB', '99999999999TiB']) assert.equal(parseSize(wrong), null, wrong);
});

test('figures in transcripts read the same everywhere', () => {
  assert.equal(formatDuration(1234), '1.2s');
  assert.equal(formatDuration(331_000), '5m 31s');
  assert.equal(formatDuration(7_500_000), '2h 5m');
  assert.equal(formatBytes(20n * 2n ** 30n), '20 GiB');
  assert.equal(formatBytes(56), '56 B');
  assert.equal(formatCount(12404551), '12,404,551');
});

test('interpolation: names, defaults, literals, and what is missing', () => {
  const environment = { NAME: 'value', NESTED: '${NAME}' };
  assert.deepEqual(interpolate('a ${NAME} b', environment), { text: 'a value b', problems: [] });
  assert.deepEqual(interpolate('${NONE:-x:-y}${NONE:-}', environment), { text: 'x:-y', problems: [] });
  assert.deepEqual(interpolate('$${NAME} $NAME', environment), { text: '${NAME} $NAME', problems: [] });
  assert.deepEqual(interpolate('${NESTED}', environment), { text: '${NAME}', problems: [] }, 'values are not looked into again');
  assert.match(interpolate('${NONE}', environment).problems.join(), /NONE is not set/);
  for (const broken of ['${NAME', '${}', '${1X}', '${A-b}']) assert.equal(interpolate(broken, environment).problems.length, 1, broken);
});

test('the real environment goes before --env-file, empty variables count as not set', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'realign-env-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, '.env');
  writeFileSync(path, 'A=file\nB="from file"\n');
  assert.deepEqual({ ...readEnvironment({ A: 'real', C: '' }, path) }, { A: 'real', B: 'from file' });
  assert.throws(() => readEnvironment({}, join(directory, 'nope')), /--env-file cannot be read: .*ENOENT/);
});

test('the nearest name only for what looks like a typing mistake', () => {
  assert.equal(nearest('tabel', ['table', 'rename']), 'table');
  assert.equal(nearest('frsh', ['fresh', 'rate']), 'fresh');
  assert.equal(nearest('sett', ['seed', 'settle', 'settle-more']), 'settle');
  assert.equal(nearest('se', ['settle']), null);
  assert.equal(nearest('where', ['table', 'rename']), null);
  assert.equal(didYouMean('sslmod', ['sslmode']), '; did you mean "sslmode"?');
});
