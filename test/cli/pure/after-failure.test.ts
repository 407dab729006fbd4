import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aftermath, learn, NO_FACTS, type RunFacts } from '../../../src/cli/aftermath.ts';
import type { RunEvent } from '../../../src/core/events.ts';

const factsAfter = (events: readonly RunEvent[]): RunFacts => events.reduce(learn, NO_FACTS);
const STARTED: RunEvent = { type: 'build.started', table: 't', resumed: false, generation: 'p-1-k3f9', slot: 'realign_p_k3f9' };
const INDEX: RunEvent = { type: 'phase.finished', phase: 'index', durationMs: 1, detail: '' };
const SWAP_ASKED: RunEvent = { type: 'phase.started', phase: 'swap' };
const SWAPPED: RunEvent = { type: 'swap', alias: 'p', from: 'p-0-aaaa', to: 'p-1-k3f9' };
const COMMAND = 'realign rebuild p';

test('before the build: check, and the command again', () => {
  assert.deepEqual(aftermath('unreachable', NO_FACTS, 'p', COMMAND).next, ['realign check p', COMMAND]);
  assert.deepEqual(aftermath('plan-changed', NO_FACTS, 'p', COMMAND).next, [`${COMMAND} --fresh`, 'realign abort p']);
  assert.deepEqual(aftermath('config', NO_FACTS, 'p', COMMAND).next, []);
});

test('before the index nothing is left', () => {
  assert.match(aftermath('slot-timeout', factsAfter([STARTED]), 'p', COMMAND).unchanged, /Nothing is left/);
});

test('an index that was made though its phase did not end is kept with its slot', () => {
  const kept: RunEvent = { type: 'warning', code: 'index-kept', message: '', hint: '' };
  assert.match(aftermath('terminated', factsAfter([STARTED, kept]), 'p', COMMAND).unchanged, /Kept: index p-1-k3f9, slot realign_p_k3f9/);
});

test('an interrupted build is kept with its slot and resumed by the same command', () => {
  const { unchanged, next } = aftermath('interrupted', factsAfter([STARTED, INDEX]), 'p', COMMAND);
  assert.match(unchanged, /Not swapped[\s\S]*index p-1-k3f9, slot realign_p_k3f9/);
  assert.deepEqual(next, [`${COMMAND}   (resumes)`, 'realign abort p']);
});

test('a failed verification keeps the index without its slot', () => {
  const { unchanged, next } = aftermath('verification-failed', factsAfter([STARTED, INDEX]), 'p', COMMAND);
  assert.equal(next[0], 'realign audit p --index p-1-k3f9   (compares it again)');
  assert.match(unchanged, /Not swapped[\s\S]*index p-1-k3f9\. Slot and publication are dropped/);
});

test('a lost answer to the swap is not called unswapped', () => {
  const facts = factsAfter([STARTED, INDEX, SWAP_ASKED]);
  assert.match(aftermath('connection-lost', facts, 'p', COMMAND).unchanged, /may or may not/);
  // Also what ends a build for good may have met a swap that was made.
  assert.match(aftermath('slot-wal-limit', facts, 'p', COMMAND).unchanged, /may or may not/);
  assert.match(aftermath('alias-changed', facts, 'p', COMMAND).unchanged, /Not swapped/);
});

test('after the swap it says so', () => {
  const facts = factsAfter([STARTED, INDEX, SWAP_ASKED, SWAPPED]);
  assert.equal(facts.previous, 'p-0-aaaa');
  assert.match(aftermath('connection-lost', facts, 'p', COMMAND).unchanged, /The swap is done/);
});
