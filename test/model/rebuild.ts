import type { Model, Step } from './explore.ts';
import { loadActions } from './load.ts';
import { crash, indexContent, phaseActions } from './phases.ts';
import { acknowledgedTooFar, laneAnswered, replayActions } from './replay.ts';
import type { RuleSet } from './rules.ts';
import { landings } from './sink.ts';
import { type Action, applicationActions } from './source.ts';
import { at, copyOf, initialWorld, keyOf, type Scenario, send, type World, type Write } from './world.ts';

/** One build of one index, with everything that can happen beside it. */
export function rebuildModel(scenario: Scenario, rules: RuleSet): Model<World> {
  return {
    initial: initialWorld(scenario),
    steps: (world) => stepsOf(scenario, rules, world),
    violation: (world) => world.wrong ?? acknowledgedTooFar(scenario, world),
    key: keyOf,
  };
}

function* stepsOf(scenario: Scenario, rules: RuleSet, world: World): Generator<Step<World>> {
  for (const { label, act } of actionsIn(scenario, rules, world)) {
    const next = copyOf(world);
    act(next);
    yield { label, next };
  }
}

function actionsIn(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  const { tool, faults } = world;
  const actions = world.wire.flatMap((_, index) => wireActions(rules, world, index));
  if (tool.at === 'finished') return actions;
  actions.push(...applicationActions(scenario, world));
  actions.push(...phaseActions(scenario, rules, world));
  actions.push(...replayActions(scenario, rules, world));
  actions.push(...loadActions(scenario, rules, world));
  if (faults.crash > 0 && tool.at !== 'dead' && world.slot !== null) actions.push({ label: 'the process is killed', act: crash });
  return actions;
}

/** A write lands and is answered; or lands and the answer is lost; or there is no answer while it is still on its way; or, its sender dead, it never arrives. */
function wireActions(rules: RuleSet, world: World, index: number): Action[] {
  const write = at(world.wire, index);
  const landed = landings(world.documents, write);
  const actions: Action[] = landed.map(({ label, documents }) => ({ label, act: (next) => land(next, write, index, documents) }));
  if (write.from === 'nobody') return [...actions, { label: `${write.key} at ${write.version} never arrives`, act: (next) => drop(next, index) }];
  if (world.faults.noAnswer === 0) return actions;
  for (const { label, documents } of landed) {
    actions.push({ label: `${label}, its answer is lost, it is sent again`, act: (next) => landUnanswered(next, write, documents) });
  }
  if (!rules('R6 known fate'))
    actions.push({ label: `${write.key} at ${write.version} has no answer yet and is sent again`, act: (next) => abandon(next, index) });
  return actions;
}

function drop(world: World, index: number): void {
  world.wire = world.wire.toSpliced(index, 1);
}

function land(world: World, write: Write, index: number, documents: World['documents']): void {
  drop(world, index);
  effect(world, write, documents);
  if (write.from === 'lane') laneAnswered(world, write);
}

function landUnanswered(world: World, write: Write, documents: World['documents']): void {
  world.faults.noAnswer--;
  effect(world, write, documents);
}

function abandon(world: World, index: number): void {
  world.faults.noAnswer--;
  const write = at(world.wire, index);
  send(world, { ...write, from: 'nobody', chunk: -1 });
}

function effect(world: World, write: Write, documents: World['documents']): void {
  world.documents = documents;
  for (const index of write.transactions) {
    const { applied } = at(world.transactions, index);
    if (!applied.includes(write.key)) applied.push(write.key);
    applied.sort();
  }
  if (world.expected === null) return;
  const holds = indexContent(world);
  if (holds !== world.expected) world.wrong = `after the end the index holds [${holds}] instead of [${world.expected}]`;
}
