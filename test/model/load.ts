import { isLeafLoaded, nextChunk, withDone } from '../../src/core/plan/chunks.ts';
import type { RuleSet } from './rules.ts';
import { type Action, currentSnapshot, isOpen, rowsIn } from './source.ts';
import { chunkBegins, chunkEnds, forgetSeenBy, unseenBy } from './tool-memory.ts';
import { at, type ChunkState, type Scenario, type Snapshot, send, type Tool, type World } from './world.ts';

/** The plan of the real code: one leaf of `blocks` blocks, each a chunk. */
export function leafOf(scenario: Scenario, tool: Pick<Tool, 'done' | 'file'>) {
  return { oid: 1, relfilenode: tool.file, blocks: scenario.blocks, chunkBlocks: 1, done: tool.done };
}

export function isLoaded(scenario: Scenario, world: World): boolean {
  return world.tool.chunks.length === 0 && isLeafLoaded(leafOf(scenario, world.tool));
}

/** The load: chunks opened, read, written, settled, each in its own time. */
export function loadActions(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  const { tool, meta } = world;
  if (tool.at !== 'load') return [];
  const actions = [...openActions(scenario, rules, world)];
  for (const [index, chunk] of tool.chunks.entries()) actions.push(...chunkActions(scenario, rules, world, { index, chunk }));
  const recorded = meta !== null && meta.file === tool.file && meta.done.length === tool.done.length && meta.done.join() === tool.done.join();
  if (!recorded && scenario.faults.crash > 0) {
    actions.push({
      label: 'the checkpoint is written',
      act: (next) => {
        next.meta = { phase: 'load', done: tool.done, file: tool.file };
      },
    });
  }
  return actions;
}

function openActions(scenario: Scenario, rules: RuleSet, world: World): Action[] {
  const { tool } = world;
  // A TRUNCATE that the replay works on lets no chunk begin.
  if (tool.truncating !== null || tool.chunks.length >= scenario.copyJobs) return [];
  const chunk = nextChunk(
    leafOf(scenario, tool),
    tool.chunks.map(({ from }) => ({ oid: 1, from, to: from + 1 })),
    // Each block is a chunk.
    1,
  );
  if (chunk === null) return [];
  const { from } = chunk;
  const open = (next: World): void => {
    if (rules('R4 chunk floor')) next.tool.ack = chunkBegins(next.tool.ack);
    next.tool.chunks.push({ from, stage: 'opening', taken: null, known: null, file: tool.file });
  };
  if (scenario.slowOpen) return [{ label: `chunk ${from} is opened`, act: open }];
  if (isLocked(scenario, world)) return [];
  const act = (next: World): void => {
    open(next);
    takeSnapshot(next, at(next.tool.chunks, next.tool.chunks.length - 1));
  };
  return [{ label: `chunk ${from} takes its snapshot`, act }];
}

/** TRUNCATE locks everybody out until it is visible. */
function isLocked(scenario: Scenario, world: World): boolean {
  return scenario.transactions.some(({ truncate }, index) => truncate && isOpen(at(world.transactions, index)));
}

function takeSnapshot(world: World, chunk: ChunkState): void {
  chunk.taken = currentSnapshot(world);
  chunk.stage = 'reading';
}

interface Place {
  readonly index: number;
  readonly chunk: ChunkState;
}

function chunkActions(scenario: Scenario, rules: RuleSet, world: World, { index, chunk }: Place): Action[] {
  const { from, stage } = chunk;
  const waiting = world.wire.some((write) => write.chunk === from && write.from !== 'nobody');
  switch (stage) {
    case 'opening':
    case 'broken':
      if (waiting || isLocked(scenario, world)) return [];
      return [{ label: `chunk ${from} takes its snapshot`, act: (next) => takeSnapshot(next, at(next.tool.chunks, index)) }];
    case 'reading':
      return readActions(scenario, rules, world, { index, chunk });
    case 'written':
      if (waiting) return [];
      return [{ label: `chunk ${from} is written: deletes again`, act: (next) => settle(next, rules, at(next.tool.chunks, index)) }];
    case 'settling':
      if (waiting) return [];
      return [{ label: `chunk ${from} is done`, act: (next) => finish(scenario, rules, next, at(next.tool.chunks, index)) }];
  }
}

function readActions(scenario: Scenario, rules: RuleSet, world: World, { index, chunk }: Place): Action[] {
  const { from, taken } = chunk;
  if (taken === null) throw new RangeError('BUG in the model: read without a snapshot');
  const { rows, file } = rowsIn(scenario, world, taken);
  if (file !== chunk.file) return [{ label: `chunk ${from} meets another file`, act: (next) => planAgain(next, at(next.tool.chunks, index), file) }];
  const read = (next: World, stage: 'written' | 'broken'): void => {
    const open = at(next.tool.chunks, index);
    open.stage = stage;
    open.known = rules('R3 first attempt') ? (open.known ?? taken) : taken;
    const version = rules('R1 below CP') ? (next.slot?.cp ?? 0) - 1 : (next.slot?.cp ?? 0);
    for (const [key, { value, block }] of rows) {
      if (block === from) send(next, { from: 'rows', chunk: from, key, value, version, gte: false, transactions: [] });
    }
  };
  const actions: Action[] = [{ label: `chunk ${from} is read and sent`, act: (next) => read(next, 'written') }];
  if (world.faults.cut === 0) return actions;
  const cut = (next: World): void => {
    next.faults.cut--;
    read(next, 'broken');
  };
  return [...actions, { label: `chunk ${from} is cut after its rows were sent`, act: cut }];
}

/** All bulks are acknowledged: now R3. */
function settle(world: World, rules: RuleSet, chunk: ChunkState): void {
  chunk.stage = 'settling';
  if (!rules('R3 deletes again') || chunk.known === null) return;
  for (const { key, version } of unseenBy(world.tool.deletes, chunk.known)) {
    send(world, { from: 'again', chunk: chunk.from, key, value: null, version, gte: false, transactions: [] });
  }
}

function finish(scenario: Scenario, rules: RuleSet, world: World, chunk: ChunkState): void {
  const { tool } = world;
  if (chunk.file === tool.file) tool.done = withDone(leafOf(scenario, tool), { oid: 1, from: chunk.from, to: chunk.from + 1 }).done;
  close(rules, tool, chunk);
}

function close(rules: RuleSet, tool: Tool, chunk: ChunkState): void {
  if (rules('R4 chunk floor')) tool.ack = chunkEnds(tool.ack, tool.chunks.indexOf(chunk));
  tool.chunks = tool.chunks.filter((other) => other !== chunk);
  const known = (chunks: readonly ChunkState[]): Snapshot[] => chunks.flatMap((one) => (one.known === null ? [] : [one.known]));
  const asked = rules('R3 memory') ? [chunk, ...tool.chunks] : [chunk];
  const snapshots = known(asked);
  if (snapshots.length === asked.length) tool.deletes = forgetSeenBy(tool.deletes, snapshots);
}

/** Rows lie in other blocks now. What an earlier attempt of the chunk wrote is settled as always. */
function planAgain(world: World, chunk: ChunkState, file: number): void {
  const { tool } = world;
  if (chunk.file === tool.file) {
    tool.file = file;
    tool.done = [];
  }
  chunk.stage = 'written';
  chunk.known ??= chunk.taken;
}
