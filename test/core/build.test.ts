import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Build, type Built, type Outcome, resume, transition } from '../../src/core/build.ts';
import { Failure, type FailureAction, failureKinds, followingActionOf, policyOf } from '../../src/core/failure.ts';
import type { BuildPhase, BuildState } from '../../src/core/plan/build-state.ts';
import { requirePassing } from '../../src/core/verify/passing-report.ts';
import { tableUnder } from '../support/states-page.ts';

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
// Records, so that a state or an outcome that is added and is missing here fails to compile; in the order of the page.
const STATES: { readonly [at in Exclude<Build['at'], 'finished'>]: Extract<Build, { at: at }> } = {
  slot: { at: 'slot' },
  index: { at: 'index', cp: 1n },
  load: { at: 'load', built },
  catchup: { at: 'catchup', built },
  verify: { at: 'verify', built },
  hold: { at: 'hold', built, report },
  swap: { at: 'swap', built, report },
  cleanup: { at: 'cleanup', built, report },
  follow: { at: 'follow', built, report, deleted: [] },
};
const OUTCOMES: { readonly [kind in Outcome['kind']]: Extract<Outcome, { kind: kind }> } = {
  'slot-ready': { kind: 'slot-ready', cp: 1n },
  'index-ready': { kind: 'index-ready', built },
  loaded: { kind: 'loaded', built },
  'caught-up': { kind: 'caught-up', built },
  verified: { kind: 'verified', built, report },
  released: { kind: 'released', built, report },
  swapped: { kind: 'swapped', built },
  cleaned: { kind: 'cleaned', built, deleted: [] },
  'kept-open': { kind: 'kept-open', built, deleted: [] },
  left: { kind: 'left', built },
};

test('every transition is in docs/states.md, and every row of it is a transition', () => {
  const rows = tableUnder('Forward');
  const found: string[][] = [];
  for (const state of Object.values(STATES)) {
    for (const outcome of Object.values(OUTCOMES)) {
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

const ACTIONS: { readonly [action in FailureAction]: true } = { abandon: true, retry: true, restart: true, stop: true, decide: true, refuse: true };

test('what each failure leaves is in docs/states.md, by its action and with its exit code', () => {
  const rows = tableUnder('What a failure leaves');
  assert.deepEqual(
    rows.map(([action, kinds, codes]) => [action?.split(',')[0], kinds, codes]),
    (Object.keys(ACTIONS) as FailureAction[]).map((action) => {
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
