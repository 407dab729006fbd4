import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Build, type Built, type Outcome, resume, transition } from '../../src/core/build.ts';
import { Failure, type FailureAction, failureKinds, followingActionOf, policyOf } from '../../src/core/failure.ts';
import type { BuildPhase, BuildState } from '../../src/core/plan/build-state.ts';
import { requirePassing } from '../../src/core/verify/passing-report.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'states.md'), 'utf8');

/** The rows of the table below a heading, as lists of cells without code marks. */
function tableUnder(heading: string): readonly (readonly string[])[] {
  const section = page.split(`## ${heading}`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows
    .slice(1)
    .filter((line) => !/^\|\s*---/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

function builtIn(phase: BuildPhase): Built {
  const state: BuildState = {
    format: 1,
    tool: 'realign test',
    build: 'abcd',
    alias: 'a',
    phase,
    slot: 's',
    publication: 'p',
    cp: '0/10',
    systemIdentifier: '1',
    timeline: 1,
    database: 'd',
    table: { oid: 1, schema: 'public', name: 't' },
    catalogFingerprint: '',
    planFingerprint: '',
    previous: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    load: [],
    rejectedIds: [],
    settings: {},
  };
  return { state, uuid: 'u' };
}

const report = requirePassing({
  mode: 'full',
  method: 'fence',
  fenceLsn: '0/20',
  rows: 0,
  documents: 0,
  rejected: 0,
  partitions: 1,
  partitionsEqual: 1,
  sampled: { random: 0, changed: 0, deleted: 0 },
  seed: '',
  differences: [],
  differenceCount: 0,
  unsettled: [],
  blindSpots: [],
});

const built = builtIn('load');
const states: readonly Exclude<Build, { at: 'finished' }>[] = [
  { at: 'slot' },
  { at: 'index', cp: 1n },
  { at: 'load', built },
  { at: 'catchup', built },
  { at: 'verify', built },
  { at: 'hold', built, report },
  { at: 'swap', built, report },
  { at: 'cleanup', built, report },
  { at: 'follow', built, report, deleted: [] },
];
const outcomes: readonly Outcome[] = [
  { kind: 'slot-ready', cp: 1n },
  { kind: 'index-ready', built },
  { kind: 'loaded', built },
  { kind: 'caught-up', built },
  { kind: 'verified', built, report },
  { kind: 'released', built, report },
  { kind: 'swapped', built },
  { kind: 'cleaned', built, deleted: [] },
  { kind: 'kept-open', built, deleted: [] },
  { kind: 'left', built },
];

test('every transition is in docs/states.md, and every row of it is a transition', () => {
  const rows = tableUnder('Forward');
  const found: string[][] = [];
  for (const state of states) {
    for (const outcome of outcomes) {
      const row = rows.find((cells) => cells[0] === state.at && cells[2] === outcome.kind);
      if (row === undefined) assert.throws(() => transition(state, outcome), RangeError, `${state.at} + ${outcome.kind}`);
      else found.push([state.at, outcome.kind, transition(state, outcome).at]);
    }
  }
  assert.deepEqual(
    found,
    rows.map((cells) => [cells[0], cells[2], cells[3]]),
  );
});

const PHASES: { readonly [phase in BuildPhase]: true } = {
  load: true,
  catchup: true,
  verify: true,
  hold: true,
  swap: true,
  cleanup: true,
  follow: true,
  finished: true,
  failed: true,
};

test('every resume is in docs/states.md: each phase, with the alias on the index and not', () => {
  const rows = tableUnder('After a crash').filter((cells) => !cells[0]?.startsWith('none'));
  const documented = new Map(rows.map(([phase, alias, next]) => [`${phase}, alias ${alias}`, next]));
  const real = new Map<string, string>();
  for (const phase of Object.keys(PHASES) as BuildPhase[]) {
    for (const alias of ['yes', 'no']) real.set(`${phase}, alias ${alias}`, resume(builtIn(phase), alias === 'yes')?.at ?? 'a new build');
  }
  assert.deepEqual([...documented].sort(), [...real].sort());
});

test('what each failure leaves is in docs/states.md, by its action and with its exit code', () => {
  const rows = tableUnder('What a failure leaves');
  const actions: readonly FailureAction[] = ['abandon', 'retry', 'restart', 'stop', 'decide', 'refuse'];
  assert.deepEqual(
    rows.map(([action, kinds, codes]) => [action?.split(',')[0], kinds, codes]),
    actions.map((action) => {
      const kinds = failureKinds(action);
      return [action, kinds.join(', '), kinds.map((kind) => policyOf(new Failure(kind, '')).exitCode).join(', ')];
    }),
  );
});

test('a rejected row ends a build for good, but not the following of an index that is in use', () => {
  assert.equal(policyOf(new Failure('too-many-rejects', '')).action, 'abandon');
  assert.equal(followingActionOf(new Failure('too-many-rejects', '')), 'stop');
  assert.equal(followingActionOf(new Failure('source-changed', '')), 'abandon');
});
