import type { Built } from '../core/build.ts';
import { formatLsn } from '../core/lsn.ts';
import { type BuildState, STATE_FORMAT } from '../core/plan/build-state.ts';
import { planLeaf } from '../core/plan/chunks.ts';
import type { Run } from './build/run-state.ts';

/** Creates the fresh generation, with everything a resume needs in its mapping; the heap sizes are read after the consistent point. */
export async function makeIndex(run: Run, cp: bigint, previous: string | null): Promise<Built> {
  const { source, sink, names, plan, config } = run;
  const identity = await source.identity();
  const table = (await source.describeTable(config.table)) ?? run.table;
  const state: BuildState = {
    format: STATE_FORMAT,
    tool: run.tool,
    build: names.slot.slice(-4),
    alias: config.alias,
    index: names.index,
    phase: 'load',
    slot: names.slot,
    publication: names.publication,
    cp: formatLsn(cp),
    systemIdentifier: identity.systemIdentifier,
    timeline: identity.timeline,
    database: identity.database,
    table: { oid: table.oid, schema: table.schema, name: table.name },
    catalogFingerprint: run.table.fingerprint,
    planFingerprint: plan.fingerprint,
    previous,
    startedAt: run.clock.date().toISOString(),
    load: table.leaves.map(planLeaf),
    rejectedIds: [],
    settings: plan.settings,
    ...(run.options.runKey === null ? {} : { runKey: run.options.runKey }),
  };
  const { uuid } = await sink.createIndex({
    index: names.index,
    buildAlias: names.buildAlias,
    mapping: plan.mapping,
    settings: plan.settings,
    state,
  });
  await run.failpoint?.('index.created');
  return { state, uuid };
}
