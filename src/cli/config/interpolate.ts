import type { Environment } from './environment.ts';

const REFERENCE = /\$\$\{|\$\{([^}]*)\}?/g;
const INNER = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

export interface Interpolated {
  readonly text: string;
  /** What is wrong with the references, one sentence each; empty if all were replaced. */
  readonly problems: readonly string[];
}

/** Replaces `${NAME}` and `${NAME:-default}` by the environment's values; `$${` is a literal `${`. Values are never looked into again. */
export function interpolate(text: string, environment: Environment): Interpolated {
  const problems: string[] = [];
  const replaced = text.replace(REFERENCE, (reference: string, inner: string | undefined) => {
    if (inner === undefined) return '${';
    const match = reference.endsWith('}') ? INNER.exec(inner) : null;
    if (match?.[1] === undefined) {
      problems.push(`${JSON.stringify(reference)} is not a reference: write \${NAME}, \${NAME:-default}, or $\${ for a literal \${`);
      return '';
    }
    const value = environment[match[1]] ?? match[2];
    if (value === undefined) problems.push(`the variable ${match[1]} is not set: set it, or write \${${match[1]}:-default}`);
    return value ?? '';
  });
  return { text: replaced, problems };
}
