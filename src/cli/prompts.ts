import { createInterface } from 'node:readline/promises';
import { Failure } from '../core/failure.ts';

export interface PromptTerminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks on the terminal whether to go on. Without a terminal and without `--yes` it throws `usage` at once instead of waiting for an answer
 * that nobody gives.
 */
export async function confirm(question: string, yes: boolean, { input, output }: PromptTerminal, signal: AbortSignal): Promise<boolean> {
  if (yes) return true;
  if (input.isTTY !== true || output.isTTY !== true) {
    throw new Failure('usage', `this asks before it changes anything, and there is no terminal to ask on: ${question}`, {
      hint: 'Add --yes to answer yes. Nothing was changed.',
    });
  }
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    lines.close();
  }
}
