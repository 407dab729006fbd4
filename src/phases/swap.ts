import { Failure } from '../core/failure.ts';
import type { PassingReport } from '../core/verify/passing-report.ts';
import type { Checkpoint } from './build/checkpoint.ts';
import type { Run } from './build/run-state.ts';
import { askToStay } from './generations/displaced.ts';
import { checkCatalog } from './guards/catalog-guard.ts';
import type { AliasProperties } from './sink-ports.ts';

/**
 * Moves the alias in one atomic call that is a compare-and-swap on exactly the generation seen at the start, carrying its properties over. It takes a passing report:
 * nothing unverified can be swapped in.
 */
export async function swapAlias(run: Run, checkpoint: Checkpoint, _proof: PassingReport): Promise<void> {
  const { sink, config, names, options } = run;
  await checkCatalog(run);
  await checkpoint.checkTarget();
  const { previous } = checkpoint.state;
  const properties = await propertiesOf(run, previous);
  await askToStay(run, previous);
  await run.failpoint?.('swap.asked');
  const outcome = await sink.swap({ alias: config.alias, to: names.index, from: previous, properties, adopt: options.adopt });
  if (outcome === 'alias-changed') throw aliasChanged(config.alias, previous, await describeAlias(run));
  await run.failpoint?.('swap.made');
  run.reporter.report({ type: 'swap', alias: config.alias, from: previous, to: names.index });
}

async function propertiesOf(run: Run, previous: string | null): Promise<AliasProperties> {
  const target = await run.sink.readAlias(run.config.alias);
  // Already on the new index: an answer was lost, and the swap is safe to run twice.
  if (target.kind !== 'alias' || (target.indices.size === 1 && target.indices.has(run.names.index))) return {};
  const properties = previous === null ? undefined : target.indices.get(previous);
  if (properties === undefined || target.indices.size !== 1) throw aliasChanged(run.config.alias, previous, await describeAlias(run));
  return properties;
}

async function describeAlias(run: Run): Promise<string> {
  const target = await run.sink.readAlias(run.config.alias);
  switch (target.kind) {
    case 'none':
      return 'it is on no index';
    case 'index':
      return 'it is a concrete index';
    case 'alias':
      return `it is on ${[...target.indices.keys()].join(', ')}`;
  }
}

function aliasChanged(alias: string, previous: string | null, now: string): Failure {
  return new Failure('alias-changed', `alias ${alias} was ${previous === null ? 'on no index' : `on ${previous}`} when the build began; now ${now}`, {
    hint: 'Somebody else moved it. Nothing was swapped; find out who, then run the same command again for a new build.',
  });
}
