import type { Finding } from '../../core/finding.ts';
import { ConfigMistakes } from '../../core/plan/config-mistakes.ts';
import { PreflightRefused } from '../../core/plan/preflight-refused.ts';
import type { Configuration } from './load.ts';
import { type ConfigPath, Problems } from './problems.ts';

/**
 * Mistakes that only the table showed, told as those of the file itself are: with file, line and column, in the order of the file; and what a
 * preflight refused, as far as the config says it. `index`: whose entry the findings are of. Any other error stays as it is.
 */
export function placedMistakes(error: unknown, index: string | null, configuration: Configuration | null): unknown {
  if (configuration === null || configuration.file === null) return error;
  if (error instanceof ConfigMistakes) return withPlaces(error, configuration) ?? error;
  if (error instanceof PreflightRefused && index !== null) return new PreflightRefused(error.findings, sayWithPlace(index, configuration));
  return error;
}

function withPlaces(error: ConfigMistakes, configuration: Configuration): unknown {
  const { alias, mistakes } = error;
  const problems = new Problems(configuration.file?.name ?? '', error.hintWith(sayWithPlace(alias, configuration)));
  for (const { path, text } of mistakes) {
    const at = located(path, alias, configuration);
    if (at !== null) problems.addBeside(at.line, at.column, `indices.${alias}.${text}`);
  }
  return problems.failure();
}

/** `FILE:LINE:COLUMN` of what a finding is about; null where no file says it. */
export function placeOf({ path }: Finding, index: string, configuration: Configuration | null): string | null {
  if (path === undefined || configuration === null || configuration.file === null) return null;
  const at = located(path, index, configuration);
  return at === null ? null : `${configuration.file.name}:${at.line}:${at.column}`;
}

function sayWithPlace(index: string, configuration: Configuration): (finding: Finding) => string {
  return (finding) => {
    const place = placeOf(finding, index, configuration);
    return `${finding.side}: ${place === null ? '' : `${place}  `}${finding.message}`;
  };
}

function located(path: ConfigPath, index: string, { file }: Configuration): { readonly line: number; readonly column: number } | null {
  if (file === null) return null;
  const { source } = file;
  return source.locate(path[0] === 'defaults' ? path : ['indices', index, ...asWritten(path, index, source.value)]);
}

/** `columns: [id, name]` is short for `columns: { include: [id, name] }`. */
function asWritten(path: ConfigPath, alias: string, value: unknown): ConfigPath {
  const { columns } = (value as { readonly indices?: { readonly [alias: string]: { readonly columns?: unknown } } } | null)?.indices?.[alias] ?? {};
  return path[1] === 'include' && Array.isArray(columns) ? ['columns', ...path.slice(2)] : path;
}
