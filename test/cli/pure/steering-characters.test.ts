import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { escapedJson } from '../../../src/cli/escaped-json.ts';
import { openLog } from '../../../src/cli/logger.ts';
import { HumanOutput } from '../../../src/cli/output/human-output.ts';
import { JsonOutput } from '../../../src/cli/output/json-output.ts';
import { LiveBlock } from '../../../src/cli/output/live-block.ts';
import type { OutputEvent } from '../../../src/cli/output/output-event.ts';
import { paintFor } from '../../../src/cli/output/paint.ts';
import { RejectsFile } from '../../../src/cli/rejects-file.ts';
import { SecretScrubber } from '../../../src/cli/secrets.ts';
import { AUDIT } from './sample-audit.ts';
import { FAILED_REPORT } from './sample-events.ts';

/** Keys that clear a terminal (ESC, in its form of one byte too), end a text, go to the next line or turn the direction of writing. */
const KEYS = ['\u001b[2Jgone', '\u009b2Jgone', 'a\u0000b', 'a\nb\r\u0007', '\u202egnp.exe', '\u007f\u2028end'];
const STEERS = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const EVENTS: readonly OutputEvent[] = KEYS.flatMap((id): OutputEvent[] => [
  { type: 'rejected', id, column: 'c', reason: `why ${id}` },
  { type: 'verify.result', passed: false, ...FAILED_REPORT, differences: [{ id, kind: 'different', fields: [id] }], unsettled: [id] },
  { ...AUDIT, verdict: 'drift', differences: AUDIT.differences.map((one) => ({ ...one, id })), differenceCount: 9, next: [] },
  { type: 'drift', id, kind: 'missing', fields: [] },
  { type: 'warning', code: 'w', message: id, hint: id },
  { type: 'error', kind: 'bug', message: id, hint: id, unchanged: id, next: [id], exit_code: 1 },
]);

function shown(terminal: boolean): string {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  const paint = paintFor(false);
  const live = terminal ? new LiveBlock({ isTTY: true, columns: 100, write: () => true } as never) : null;
  const output = new HumanOutput({ result: write, narration: write, live, paint, resultPaint: paint, complete: (words) => words, quiet: false });
  for (const event of EVENTS) output.emit('products', event);
  output.close();
  return text;
}

test('no key and no message steers the terminal of who reads it', () => {
  for (const text of [shown(true), shown(false)]) {
    assert.doesNotMatch(text, STEERS);
    assert.ok(text.includes('\\u{1b}[2Jgone') && text.includes('\\u{202e}gnp.exe'), text);
  }
});

test('a key is one line on a terminal, whatever is in it', () => {
  assert.match(shown(true), /products\/a\\u\{a\}b\\u\{d\}\\u\{7\} {3}column c/);
});

test('lines for programs have the same values, escaped', () => {
  let text = '';
  const output = new JsonOutput(
    (line) => {
      text += line;
    },
    () => new Date(0),
  );
  for (const event of EVENTS) output.emit('products', event);
  assert.doesNotMatch(text, STEERS);
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap(({ type, id }) => (type === 'rejected' ? [id] : []));
  assert.deepEqual(ids, KEYS);
  assert.equal(JSON.parse(escapedJson(JSON.stringify('\u{e0001}x'))), '\u{e0001}x');
});

test('neither do the rejects file and the log, in both of its forms', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'realign-steering-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'rejects.ndjson');
  const rejects = new RejectsFile({ path, index: 'products', date: () => new Date(0) });
  rejects.build = 'k3f9';
  for (const id of KEYS) await rejects.write({ id, reason: id });
  await rejects.close();
  const written = readFileSync(path, 'utf8');
  assert.doesNotMatch(written, STEERS);
  assert.deepEqual(JSON.parse(written.split('\n', 1)[0] ?? ''), {
    ...{ time: '1970-01-01T00:00:00.000Z', index: 'products', build: 'k3f9' },
    ...{ id: KEYS[0], reason: KEYS[0] },
  });
  for (const form of ['json', 'human']) {
    const file = join(directory, form);
    const log = openLog(
      { 'log-file': file, 'log-format': form, 'log-level': 'trace' } as never,
      () => undefined,
      (text) => text,
    );
    for (const event of EVENTS) log.event('products', event);
    log.close();
    assert.doesNotMatch(readFileSync(file, 'utf8'), STEERS);
  }
});

test('a secret is taken out in the forms that it has then', () => {
  const scrubber = new SecretScrubber();
  const secret = 'pass\u009b"word\u200b';
  scrubber.add(secret);
  const line = escapedJson(JSON.stringify({ message: `with ${secret}.` }));
  assert.equal(scrubber.scrub(line), '{"message":"with ***."}');
});
