import { writeFileSync } from 'node:fs';
import { Failure } from '../../core/failure.ts';
import { meant } from '../../core/nearest-name.ts';
import type { SourceTable } from '../../core/table.ts';
import { usage } from '../check-arguments.ts';
import { errorCode } from '../config/environment.ts';
import { aliasProblem, tableProblem } from '../config/index-names.ts';
import { Problems } from '../config/problems.ts';
import { resolvePostgres } from '../config/resolve-postgres.ts';
import { configTemplate, esRole, grantSql } from '../init-texts.ts';
import { shellWord } from '../same-command.ts';
import { withSource } from '../servers.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';

/** `realign init [INDEX] [--table s.t]`: writes a commented config, or prints the SQL and the role that an administrator has to run. Changes nothing on the servers. */
export async function init(context: CommandContext): Promise<CommandOutcome> {
  const { flags, named } = context;
  const written = typeof flags.table === 'string' ? flags.table : null;
  const problem = written === null ? null : tableProblem(written);
  if (problem !== null) throw usage(`--table: ${problem}`);
  const alias = named[0] ?? (written === null ? 'products' : aliasFor(written));
  const badAlias = aliasProblem(alias);
  if (badAlias !== null) throw usage(`${JSON.stringify(alias)} cannot be an alias: ${badAlias}`);
  const parts = [...(flags['print-sql'] === true ? [grantSql(needTable(written))] : []), ...(flags['print-es-role'] === true ? [esRole(alias)] : [])];
  if (parts.length > 0) return { exitCode: 0, message: parts.join('\n'), indices: [] };
  const table = written === null ? null : await describe(context, written);
  const path = writeConfig(context, configTemplate({ alias, written: written ?? 'public.products', table }));
  const config = typeof flags.config === 'string' ? ` --config ${shellWord(path)}` : '';
  return {
    exitCode: 0,
    message: `${path} is written${written === null ? ' for the table public.products, as an example: put yours in its place' : ''}. Next: realign check ${shellWord(alias)}${config}, then realign plan ${shellWord(alias)}${config}.`,
    indices: [],
  };
}

function needTable(written: string | null): string {
  if (written !== null) return written;
  throw new Failure('usage', '--print-sql needs --table SCHEMA.TABLE', { hint: 'Example: realign init --table public.products --print-sql' });
}

/** The table's own name, as far as an alias may be called so. */
function aliasFor(written: string): string {
  const name = (/(?:"((?:[^"]|"")+)"|([^."]+))$/.exec(written) ?? []).slice(1).find((part) => part !== undefined) ?? written;
  return name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')
    .replace(/^[-_]+/, '');
}

/** Only PostgreSQL is asked; its connection comes from the environment, because there is no config yet. */
async function describe({ environment, scrubber, toolVersion }: CommandContext, written: string): Promise<SourceTable> {
  const problems = new Problems('realign.yaml');
  const registerSecret = (secret: string, publicWords: readonly string[]) => scrubber.add(secret, publicWords);
  const target = resolvePostgres({}, { directory: '.', environment, problems, registerSecret });
  problems.throwIfAny();
  if (target === null) throw new RangeError('BUG: a connection without a problem');
  const { table, similar } = await withSource(target, toolVersion, async (source) => {
    const found = await source.describeTable(written);
    return { table: found, similar: found === null ? await source.nearestTable(written) : null };
  });
  if (table !== null) return table;
  throw new Failure('usage', `there is no table ${written} in ${target.database}${meant(similar)}`, { hint: 'Quote names as in SQL where needed.' });
}

/** Never over a file that is there. */
function writeConfig({ flags }: CommandContext, text: string): string {
  const path = typeof flags.config === 'string' ? flags.config : 'realign.yaml';
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const there = errorCode(error) === 'EEXIST';
    throw new Failure('usage', there ? `${path} is there already` : `${path} cannot be written (${errorCode(error)})`, {
      hint: 'Give another path with --config. Nothing was changed.',
      cause: error,
    });
  }
  return path;
}
