import type { Checkpoint } from './build/checkpoint.ts';
import type { Run } from './build/run-state.ts';
import { retireDisplaced } from './generations/displaced.ts';
import { inKeepOrder } from './generations/keep-order.ts';
import { readerAliases } from './generations/reader-aliases.ts';
import type { Generation } from './sink-ports.ts';

/**
 * After the swap and the drain: removes what the build needed and the generations beyond `keep`. Every step may run twice. Returns the deleted indices.
 */
export async function cleanUp(run: Run, checkpoint: Checkpoint): Promise<readonly string[]> {
  const { source, sink, names } = run;
  await source.dropSlot(names.slot);
  await run.failpoint?.('cleanup.slot-dropped');
  await source.dropPublication(names.publication);
  await run.failpoint?.('cleanup.publication-dropped');
  await sink.finishSettings(names.index, run.plan.settings);
  await run.failpoint?.('cleanup.settings-finished');
  await sink.removeBuildAlias(names.index, names.buildAlias);
  await run.failpoint?.('cleanup.build-alias-removed');
  const deleted = await tidyGenerations(run, checkpoint.state.previous);
  await run.failpoint?.('cleanup.generations-deleted');
  await checkpoint.enter('finished');
  return deleted;
}

/** Ends what fed the generation that was displaced, then deletes what is beyond `keep`; also called when a follower begins. */
export async function tidyGenerations(run: Run, previous: string | null): Promise<readonly string[]> {
  await retireDisplaced(run);
  return await deleteOldGenerations(run, previous);
}

/** A set difference over indices of ours for this alias: never another's, never one that an alias is on. */
async function deleteOldGenerations(run: Run, previous: string | null): Promise<readonly string[]> {
  const others = (await run.sink.generations(run.config.alias)).filter((generation) => generation.index !== run.names.index);
  const idle = others.filter((generation) => readerAliases(generation).length === 0 && isOver(generation));
  const finished = inKeepOrder(
    idle.filter((generation) => generation.state.phase === 'finished'),
    previous,
  );
  const beyond = [...finished.slice(run.options.keep), ...idle.filter((generation) => generation.state.phase === 'failed')];
  for (const generation of beyond) await run.sink.deleteIndex(generation.index, generation.uuid);
  return beyond.map((generation) => generation.index);
}

function isOver(generation: Generation): boolean {
  return generation.state.phase === 'finished' || generation.state.phase === 'failed';
}
