import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { systemClock } from '../../../src/cli/clock.ts';
import { confirm } from '../../../src/cli/prompts.ts';
import { RejectsFile } from '../../../src/cli/rejects-file.ts';
import { stopOnSignals } from '../../../src/cli/signals.ts';
import { Failure } from '../../../src/core/failure.ts';

const isKind = (kind: string) => (error: unknown) => error instanceof Failure && error.kind === kind;

test('rejects: made at the first record, mode 0600, one whole line each', async (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'realign-rejects-'));
  context.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'r.ndjson');
  const file = new RejectsFile({ path, index: 'p', date: () => new Date(0) });
  assert.throws(() => statSync(path));
  await Promise.all(['1', '2', '3'].map((id) => file.write({ id, column: 'c', reason: 'r' })));
  await file.close();
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map((line) => line.id),
    ['1', '2', '3'],
  );
  assert.deepEqual(lines[0], { time: '1970-01-01T00:00:00.000Z', index: 'p', id: '1', column: 'c', reason: 'r' });
});

test('rejects: a write that fails stops the run, also the ones after it', async () => {
  const file = new RejectsFile({ path: '/dev/full', index: 'p', date: () => new Date(0) });
  await assert.rejects(file.write({ id: '1', column: 'c', reason: 'r' }), isKind('rejects-unwritable'));
  await assert.rejects(file.write({ id: '2', column: 'c', reason: 'r' }), isKind('rejects-unwritable'));
  await file.close();
});

test('signals: the first aborts with a reason, the second leaves with its code', () => {
  for (const [name, kind, code] of [
    ['SIGINT', 'interrupted', 130],
    ['SIGTERM', 'terminated', 143],
    ['SIGHUP', 'terminated', 143],
  ] as const) {
    const source = new EventEmitter();
    const left: number[] = [];
    let told = 0;
    const { signal, remove } = stopOnSignals(source, { onFirst: () => told++, leave: (exitCode) => left.push(exitCode) });
    source.emit(name);
    assert.ok(isKind(kind)(signal.reason), name);
    assert.deepEqual([told, left], [1, []]);
    source.emit(name);
    assert.deepEqual([told, left], [1, [code]]);
    remove();
    assert.equal(source.listenerCount(name), 0);
  }
});

test('clock: an aborted sleep throws the reason', async () => {
  const reason = new Failure('interrupted', 'stopped');
  await assert.rejects(systemClock.sleep(60_000, AbortSignal.abort(reason)), reason);
  await systemClock.sleep(1, new AbortController().signal);
});

test('prompts: yes, no, and never a wait without a terminal', async () => {
  const signal = new AbortController().signal;
  const terminal = () => ({ input: Object.assign(new PassThrough(), { isTTY: true }), output: Object.assign(new PassThrough(), { isTTY: true }) });
  for (const [answer, expected] of [
    ['y\n', true],
    ['Yes\n', true],
    ['\n', false],
    ['no\n', false],
  ] as const) {
    const { input, output } = terminal();
    const asked = confirm('Remove it?', false, { input, output }, signal);
    input.write(answer);
    assert.equal(await asked, expected);
  }
  const pipes = { input: new PassThrough(), output: new PassThrough() };
  assert.equal(await confirm('Remove it?', true, pipes, signal), true);
  await assert.rejects(confirm('Remove it?', false, pipes, signal), (error) => isKind('usage')(error) && /--yes/.test((error as Failure).hint ?? ''));
});
