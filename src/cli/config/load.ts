import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Failure } from '../../core/failure.ts';
import type { IndexConfig, VerifyMode } from '../../core/plan/index-config.ts';
import type { ResolveContext } from './connection-files.ts';
import { type Environment, errorCode } from './environment.ts';
import { aliasProblem } from './index-names.ts';
import { Problems } from './problems.ts';
import { type ElasticsearchTarget, resolveElasticsearch } from './resolve-elasticsearch.ts';
import { resolveIndex } from './resolve-index.ts';
import { type Outlets, resolveOutlets } from './resolve-outlets.ts';
import { type PostgresTarget, resolvePostgres } from './resolve-postgres.ts';
import type { IndexFile } from './schema.ts';
import { type CheckedFile, checkedFile, validateConfig } from './validate.ts';
import { parseYaml, type YamlSource } from './yaml-source.ts';

/** What the file says about how to run; undefined where it says nothing. */
export interface RunDefaults {
  readonly keep: number | undefined;
  readonly verifyMode: VerifyMode | undefined;
  readonly sample: number | undefined;
  readonly slotWal: string | undefined;
  readonly stall: string | undefined;
  readonly slotTimeout: string | undefined;
  readonly maxRejects: number | undefined;
  readonly hold: boolean | undefined;
  readonly follow: boolean | undefined;
  readonly replicaLag: string | undefined;
  readonly throttleQuery: string | undefined;
  /** Absolute. */
  readonly flagFile: string | undefined;
}

export interface IndexEntry {
  readonly config: IndexConfig;
  readonly run: RunDefaults;
}

/** The whole configuration, checked, resolved and frozen. */
export interface Configuration {
  readonly postgres: PostgresTarget;
  readonly elasticsearch: ElasticsearchTarget;
  readonly indices: ReadonlyMap<string, IndexEntry>;
  readonly outlets: Outlets;
  /** Where things stand in the config file; null: there is none. */
  readonly file: { readonly name: string; readonly source: YamlSource } | null;
}

export interface LoadRequest {
  /** null: not said, `./realign.yaml` is tried. */
  readonly path: string | null;
  /** `--table` and the one index it is for: a run without a file. */
  readonly adHoc: { readonly alias: string; readonly table: string } | null;
  /** false: only the connections are needed, so that a missing `./realign.yaml` is no mistake. */
  readonly needsIndices: boolean;
  readonly environment: Environment;
  readonly registerSecret: (secret: string, publicWords: readonly string[]) => void;
}

const DEFAULT_PATH = 'realign.yaml';
const WRITE_ONE = 'Correct the path behind --config; realign init --config PATH --table SCHEMA.TABLE writes a new file. Nothing was contacted.';

/** Reads and resolves the configuration; throws one `config` failure that lists every mistake with its place. */
export function loadConfiguration(request: LoadRequest): Configuration {
  const path = request.path ?? DEFAULT_PATH;
  const text = readConfigText(request);
  const problems = new Problems(path);
  const context: ResolveContext = {
    directory: dirname(resolve(path)),
    environment: request.environment,
    problems,
    registerSecret: request.registerSecret,
  };
  const source = text === null ? null : parseYaml(text, context.environment, problems);
  const file = source === null ? fileOf(request) : readFile(source, context);
  const place = source === null ? null : { name: path, source };
  const configuration = file === null ? null : resolveFile(file, context, place);
  problems.throwIfAny();
  if (configuration === null) throw new Error('a configuration that is not complete must have a problem');
  return configuration;
}

function readConfigText({ path, adHoc, needsIndices }: LoadRequest): string | null {
  if (path !== null && adHoc !== null) {
    throw new Failure('usage', '--table is for runs without a config file, and --config names one', {
      hint: 'Leave out one of the two. Nothing was contacted.',
    });
  }
  try {
    const text = readFileSync(path ?? DEFAULT_PATH, 'utf8');
    if (adHoc === null) return text;
    throw new Failure('usage', `--table is for runs without a config file, and there is a ${DEFAULT_PATH} here`, {
      hint: `Write the index into ${DEFAULT_PATH}, or run in another directory.`,
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (path === null && (adHoc !== null || !needsIndices) && errorCode(error) === 'ENOENT') return null;
    throw new Failure('config', `the config file cannot be read: ${path ?? DEFAULT_PATH} (${errorCode(error)})`, {
      hint: path === null ? 'Give its path with --config, or name the table for a run without a file: --table SCHEMA.TABLE.' : WRITE_ONE,
      cause: error,
    });
  }
}

/** Without a file everything but the table comes from the environment and the flags. */
function fileOf({ adHoc }: LoadRequest): CheckedFile {
  return checkedFile({ version: 1, indices: adHoc === null ? {} : { [adHoc.alias]: { table: adHoc.table } } });
}

function readFile(source: YamlSource, context: ResolveContext): CheckedFile | null {
  context.problems.useLocator(source);
  if (source.value === null && context.problems.count > 0) return null;
  const file = validateConfig(source, context.problems);
  if (context.problems.count === 0 && Object.keys(file.indices).length === 0) context.problems.add(['indices'], 'names no index');
  return file;
}

function resolveFile(file: CheckedFile, context: ResolveContext, place: Configuration['file']): Configuration | null {
  const postgres = file.postgres === null ? null : resolvePostgres(file.postgres, context);
  const elasticsearch = file.elasticsearch === null ? null : resolveElasticsearch(file.elasticsearch, context);
  for (const alias of file.aliases) {
    const problem = aliasProblem(alias);
    if (problem !== null) context.problems.add(['indices', alias], problem);
  }
  const entries = Object.entries(file.indices).map(([alias, entry]): [string, IndexEntry] => {
    return [alias, Object.freeze({ config: resolveIndex(alias, entry, context), run: runDefaults(file, entry, context.directory) })];
  });
  const outlets = resolveOutlets(file.hooks, file.metrics, context);
  if (postgres === null || elasticsearch === null) return null;
  return Object.freeze({ postgres, elasticsearch, indices: new Map(entries), outlets, file: place });
}

function runDefaults({ defaults }: CheckedFile, entry: IndexFile, directory: string): RunDefaults {
  const flagFile = defaults?.limits?.flagFile;
  return Object.freeze({
    keep: entry.keep ?? defaults?.keep,
    verifyMode: entry.verify?.mode ?? defaults?.verify?.mode,
    sample: entry.verify?.sample ?? defaults?.verify?.sample,
    slotWal: defaults?.limits?.slotWal,
    stall: defaults?.limits?.stall,
    slotTimeout: defaults?.limits?.slotTimeout,
    maxRejects: defaults?.maxRejects,
    hold: entry.hold,
    follow: entry.follow,
    replicaLag: defaults?.limits?.replicaLag,
    throttleQuery: defaults?.limits?.query,
    flagFile: flagFile === undefined ? undefined : resolve(directory, flagFile),
  });
}
