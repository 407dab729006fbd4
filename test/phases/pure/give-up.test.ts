import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Build } from '../../../src/core/build.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import { Failure, type FailureKind } from '../../../src/core/failure.ts';
import type { Checkpoint } from '../../../src/phases/build/checkpoint.ts';
import { giveUp } from '../../../src/phases/build/give-up.ts';
import { newCounters, type Run } from '../../../src/phases/build/run-state.ts';
import type { Source } from '../../../src/phases/ports.ts';
import type { AliasTarget, Sink } from '../../../src/phases/sink-ports.ts';
import { tableUnder } from '../../support/states-page.ts';

interface World {
  readonly at: Build['at'];
  readonly error: Failure;
  readonly alias?: AliasTarget;
  readonly uuid?: string | null;
  /** Whether what was in flight ended within the grace. */
  readonly ended?: boolean;
  /** The first calls of each kind fail in passing. */
  readonly failing?: readonly string[];
  readonly checkpoint?: boolean;
}

/** What was called, in order, and what was told. */
async function givenUp(world: World): Promise<{ readonly calls: readonly string[]; readonly told: readonly RunEvent[] }> {
  const calls: string[] = [];
  const told: RunEvent[] = [];
  const failing = new Set(world.failing);
  const call = async (name: string): Promise<void> => {
    calls.push(name);
    if (failing.delete(name)) throw new Failure('connection-lost', 'cut');
  };
  const source: Partial<Source> = { dropSlot: () => call('dropSlot'), dropPublication: () => call('dropPublication') };
  const sink: Partial<Sink> = {
    readAlias: async () => {
      await call('readAlias');
      return world.alias ?? { kind: 'none' };
    },
    indexUuid: async () => (world.uuid === undefined ? 'u' : world.uuid),
  };
  const checkpoint = { uuid: 'u', state: { previous: 'p-0' }, enter: (phase: string) => call(`enter ${phase}`) } as unknown as Checkpoint;
  const run = {
    source,
    sink,
    reporter: { report: (event: RunEvent) => told.push(event) },
    clock: { now: () => 0, date: () => new Date(0), sleep: async () => {} },
    signal: AbortSignal.abort(world.error),
    names: { index: 'p-1', slot: 's', publication: 'pub' },
    config: { alias: 'p' },
    options: { stallTimeoutMs: 1 },
    counters: newCounters(),
    random: () => 0.5,
  } as unknown as Run;
  await giveUp({
    run,
    build: { at: world.at } as Build,
    checkpoint: () => (world.checkpoint === false ? null : checkpoint),
    error: world.error,
    ended: async () => world.ended ?? true,
  });
  return { calls, told };
}

const hopeless = new Failure('slot-wal-limit', 'full');
const stopped = new Failure('terminated', 'SIGTERM');
const on = (...indices: readonly string[]): AliasTarget => ({ kind: 'alias', indices: new Map(indices.map((index) => [index, {}])) });

test('for good: slot, publication, and then the state says so', async () => {
  const { calls } = await givenUp({ at: 'load', error: hopeless });
  assert.deepEqual(calls, ['dropSlot', 'dropPublication', 'enter failed']);
});

test('each of its calls outlasts a cut, although the run is aborted', async () => {
  const { calls } = await givenUp({ at: 'load', error: hopeless, failing: ['dropSlot', 'dropPublication', 'enter failed'] });
  assert.deepEqual(calls, ['dropSlot', 'dropSlot', 'dropPublication', 'dropPublication', 'enter failed', 'enter failed']);
});

test('a swap whose answer was lost, and which was made, keeps its slot: readers need what was committed around it', async () => {
  const { calls, told } = await givenUp({ at: 'swap', error: hopeless, alias: on('p-1') });
  assert.deepEqual(calls, ['readAlias']);
  assert.deepEqual(told, [{ type: 'swap', alias: 'p', from: 'p-0', to: 'p-1' }]);
});

test('a swap that was not made is given up like any phase', async () => {
  const { calls, told } = await givenUp({ at: 'swap', error: hopeless, alias: on('p-0') });
  assert.deepEqual([calls, told], [['readAlias', 'dropSlot', 'dropPublication', 'enter failed'], []]);
});

test('whether it was made is asked until there is an answer', async () => {
  const { calls, told } = await givenUp({ at: 'swap', error: hopeless, failing: ['readAlias'], alias: on('p-1') });
  assert.deepEqual([calls, told.at(-1)?.type], [['readAlias', 'readAlias'], 'swap']);
});

test('stopped while the index is made: nothing is left if it was not made', async () => {
  const { calls, told } = await givenUp({ at: 'index', error: stopped, checkpoint: false, uuid: null });
  assert.deepEqual([calls, told], [['dropSlot', 'dropPublication'], []]);
});

for (const [name, world] of [
  ['it exists', { uuid: 'u' }],
  ['its request is under way still, so it may come', { uuid: null, ended: false }],
] as const) {
  test(`stopped while the index is made: ${name}; its slot is kept, and that is told`, async () => {
    const { calls, told } = await givenUp({ at: 'index', error: stopped, checkpoint: false, ...world });
    assert.deepEqual(calls, []);
    assert.deepEqual(
      told.map((event) => (event.type === 'warning' ? event.code : event.type)),
      ['index-kept'],
    );
  });
}

test('a stop that can be resumed leaves everything', async () => {
  assert.deepEqual((await givenUp({ at: 'load', error: stopped })).calls, []);
});

test('what becomes of slot, publication and index is what docs/states.md says of each failure', async () => {
  for (const [action, kinds = '', , slot = '', index = ''] of tableUnder('What a failure leaves')) {
    for (const kind of kinds.split(', ') as FailureKind[]) {
      const { calls } = await givenUp({ at: 'load', error: new Failure(kind, '') });
      const removes = slot === 'removed' ? ['dropSlot', 'dropPublication'] : [];
      const marks = index.includes('phase failed') ? ['enter failed'] : [];
      assert.deepEqual(calls, [...removes, ...marks], `${action}: ${kind}`);
    }
  }
});
