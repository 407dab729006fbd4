import { Failure } from '../../core/failure.ts';
import { CONCRETE_INDEX, type Finding } from '../../core/finding.ts';
import type { AliasProperties, SinkPreflightRequest } from '../../phases/sink-ports.ts';
import { readAlias } from '../alias.ts';
import type { Http } from '../connect.ts';
import { fail, ok, warn } from './findings.ts';
import { nameProblem } from './names.ts';

/** Whether the swap will be possible: legal names, and an alias that is on nothing or on exactly one index. */
export async function checkAlias(http: Http, request: SinkPreflightRequest): Promise<readonly Finding[]> {
  const names = [...nameFindings('alias', request.alias), ...nameFindings('index', request.index)];
  return names.length > 0 ? names : [await aliasFinding(http, request)];
}

function nameFindings(kind: 'alias' | 'index', name: string): readonly Finding[] {
  const problem = nameProblem(name, kind);
  if (problem === null) return [];
  return [fail(`${kind}-name`, `the ${kind} name ${JSON.stringify(name)} ${problem}`, 'choose another name for the entry under indices')];
}

async function aliasFinding(http: Http, request: SinkPreflightRequest): Promise<Finding> {
  try {
    const target = await readAlias(http, request.alias);
    if (target.kind === 'none') return noneFinding(request);
    return target.kind === 'index' ? concreteFinding(request) : heldFinding(request, target.indices);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'preflight-refused') throw error;
    return fail('alias-state', error.message, error.hint ?? '');
  }
}

function noneFinding({ alias, adopt }: SinkPreflightRequest): Finding {
  if (adopt) return warn('alias-state', `there is no index named ${alias} to adopt`, 'run without --adopt');
  return ok('alias-state', `${alias} does not exist yet; this is its first build`);
}

function concreteFinding({ alias, adopt }: SinkPreflightRequest): Finding {
  if (!adopt) {
    return fail(
      CONCRETE_INDEX,
      `${alias} is an index, not an alias`,
      `realign rebuild ${alias} --adopt   (the swap then deletes this index and puts the alias in its place, without a way back)`,
    );
  }
  return warn(
    'alias-state',
    `${alias} is an index: the swap deletes it, searches in flight may fail or come back empty, and there is no rollback`,
    `stop writers first: PUT ${alias}/_block/write`,
  );
}

function heldFinding({ alias, adopt }: SinkPreflightRequest, indices: ReadonlyMap<string, AliasProperties>): Finding {
  const names = [...indices.keys()];
  if (names.length !== 1) {
    return fail(
      'alias-state',
      `${alias} is on ${names.length} indices: ${names.join(', ')}`,
      `leave it on one: POST _aliases {"actions":[{"remove":{"index":"…","alias":"${alias}","must_exist":true}}]}`,
    );
  }
  if (adopt) return warn('alias-state', `${alias} is an alias already, there is nothing to adopt`, 'run without --adopt');
  const carried = Object.keys(Object.values(Object.fromEntries(indices))[0] ?? {});
  return ok('alias-state', `${alias} is on ${names[0]}${carried.length === 0 ? '' : `; the swap carries over ${carried.join(', ')}`}`);
}
