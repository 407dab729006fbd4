import { ConfigMistakes } from '../../core/plan/config-mistakes.ts';
import type { Configuration } from './load.ts';
import { type ConfigPath, Problems } from './problems.ts';

/** Mistakes that only the table showed, told as those of the file itself are: with file, line and column, in the order of the file. Any other error stays as it is. */
export function placedMistakes(error: unknown, configuration: Configuration | null): unknown {
  if (!(error instanceof ConfigMistakes) || configuration === null || configuration.file === null) return error;
  const { name, source } = configuration.file;
  const problems = new Problems(name, error.hint);
  for (const { path, text } of error.mistakes) {
    const { line, column } = source.locate(['indices', error.alias, ...asWritten(path, error.alias, source.value)]);
    problems.addBeside(line, column, `indices.${error.alias}.${text}`);
  }
  return problems.failure() ?? error;
}

/** `columns: [id, name]` is short for `columns: { include: [id, name] }`. */
function asWritten(path: ConfigPath, alias: string, value: unknown): ConfigPath {
  const { columns } = (value as { readonly indices?: { readonly [alias: string]: { readonly columns?: unknown } } } | null)?.indices?.[alias] ?? {};
  return path[1] === 'include' && Array.isArray(columns) ? ['columns', ...path.slice(2)] : path;
}
