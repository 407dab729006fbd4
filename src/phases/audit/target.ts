import { Failure } from '../../core/failure.ts';
import { parseLsn } from '../../core/lsn.ts';
import { meant } from '../../core/nearest-name.ts';
import type { BuildState } from '../../core/plan/build-state.ts';
import type { IndexConfig } from '../../core/plan/index-config.ts';
import type { IndexPlan } from '../../core/plan/plan-index.ts';
import type { SourceTable } from '../../core/table.ts';
import type { Source } from '../ports.ts';
import { planWith } from '../preflight.ts';
import type { AliasTarget, Sink } from '../sink-ports.ts';

export interface AuditTarget {
  /** Concrete. */
  readonly index: string;
  readonly uuid: string;
  readonly table: SourceTable;
  readonly plan: IndexPlan;
  /** Null for an index that realign did not make from this very server: its versions then say nothing. */
  readonly state: BuildState | null;
  /** Where versions of ours begin; null with `state`. */
  readonly cp: bigint | null;
  /** The alias is on it and on nothing else. */
  readonly live: boolean;
}

interface TargetRequest {
  readonly source: Source;
  readonly sink: Sink;
  readonly config: IndexConfig;
  /** A concrete index instead of the live one. */
  readonly index: string | null;
}

/** What is to be compared with what; read-only. Throws `preflight-refused` if one side does not exist, `config` for mistakes of the config. */
export async function resolveTarget({ source, sink, config, index: named }: TargetRequest): Promise<AuditTarget> {
  const table = await source.describeTable(config.table);
  if (table === null) {
    const similar = meant(await source.nearestTable(config.table));
    throw new Failure('preflight-refused', `the table ${config.table} does not exist, or cannot be seen${similar}`, {
      hint: 'Check its name and the schema (schema.table), and that the user has USAGE on the schema and SELECT on the table.',
    });
  }
  const plan = await planWith(source, table, config, {});
  const live = liveIndex(await sink.readAlias(config.alias), config.alias);
  const index = named ?? requireOne(live, config.alias);
  const uuid = await sink.indexUuid(index);
  if (uuid === null) {
    throw new Failure('preflight-refused', `there is no index ${index}`, { hint: `\`realign status ${config.alias}\` lists the generations.` });
  }
  const state = await stateOf({ source, sink, alias: config.alias, index });
  return { index, uuid, table, plan, state, cp: state === null ? null : parseLsn(state.cp), live: live.length === 1 && live[0] === index };
}

function liveIndex(target: AliasTarget, alias: string): readonly string[] {
  switch (target.kind) {
    case 'none':
      return [];
    case 'index':
      return [alias];
    case 'alias':
      return [...target.indices.keys()];
  }
}

function requireOne(live: readonly string[], alias: string): string {
  const [index] = live;
  if (index !== undefined && live.length === 1) return index;
  const seen = live.length === 0 ? 'does not exist' : `is on several indices (${live.join(', ')})`;
  throw new Failure('preflight-refused', `the alias ${alias} ${seen}, so there is no index to audit`, { hint: 'Name one with --index.' });
}

/** Versions are positions in one server's log on one timeline; those of another server would be taken for newer or older ones. */
async function stateOf(request: {
  readonly source: Source;
  readonly sink: Sink;
  readonly alias: string;
  readonly index: string;
}): Promise<BuildState | null> {
  const generations = await request.sink.generations(request.alias);
  const state = generations.find(({ index }) => index === request.index)?.state;
  if (state === undefined) return null;
  const now = await request.source.identity();
  const same = now.systemIdentifier === state.systemIdentifier && now.timeline === state.timeline && now.database === state.database;
  return same ? state : null;
}
