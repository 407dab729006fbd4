import { Failure, type FailureKind, policyOf } from '../../core/failure.ts';
import { didYouMean } from '../../core/nearest-name.ts';
import { EXIT_CODES, type ExitCode, KIND_MEANINGS } from '../exit-codes.ts';

/** `realign explain CODE`: what an exit code, or the kind of an error, means. Throws `usage` for one that does not exist. */
export function explainText(word: string): string {
  const exit = EXIT_CODES.find(({ code }) => String(code) === word);
  if (exit !== undefined) return explainExit(exit);
  if (isKind(word)) return explainKind(word);
  throw new Failure('usage', `there is no exit code or error ${JSON.stringify(word)}${didYouMean(word, Object.keys(KIND_MEANINGS))}`, {
    hint: `Exit codes: ${EXIT_CODES.map(({ code }) => code).join(', ')}. Errors: ${Object.keys(KIND_MEANINGS).join(', ')}.`,
  });
}

function explainExit({ code, meaning, again, advice }: ExitCode): string {
  const kinds = Object.keys(KIND_MEANINGS)
    .filter(isKind)
    .filter((kind) => exitCodeOf(kind) === code);
  const causes = kinds.map((kind) => `  ${kind.padEnd(20)} ${KIND_MEANINGS[kind]}`);
  return [
    `exit ${code}: ${meaning}`,
    `again: ${again}`,
    `do: ${advice}`,
    ...(causes.length === 0 ? [] : ['errors that end so:', ...causes]),
    '',
  ].join('\n');
}

function explainKind(kind: FailureKind): string {
  const exit = EXIT_CODES.find(({ code }) => code === exitCodeOf(kind));
  return [
    `${kind}: ${KIND_MEANINGS[kind]}`,
    ...(exit === undefined ? [] : [`exit ${exit.code}: ${exit.meaning}`, `again: ${exit.again}`, `do: ${exit.advice}`]),
    '',
  ].join('\n');
}

function exitCodeOf(kind: FailureKind): number {
  return policyOf(new Failure(kind, '')).exitCode;
}

function isKind(word: string): word is FailureKind {
  return Object.hasOwn(KIND_MEANINGS, word);
}
