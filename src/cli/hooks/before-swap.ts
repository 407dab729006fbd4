import { type ChildProcess, spawn } from 'node:child_process';
import { Failure } from '../../core/failure.ts';
import type { SwapGate, SwapQuestion } from '../../phases/steering/swap-gate.ts';
import { type Environment, errorCode } from '../config/environment.ts';
import { formatDuration } from '../config/quantity.ts';
import type { SwapHook } from '../config/resolve-outlets.ts';

/** What the hook prints is passed on, but not without end. */
const MAX_OUTPUT_BYTES = 64 * 1024;
/** After SIGTERM, until SIGKILL. */
const GRACE_MS = 5_000;

export interface HookMachine {
  readonly environment: Environment;
  /** Takes what the hook prints. */
  readonly print: (text: string) => void;
}

/**
 * `hooks.beforeSwap`: runs a program with `REALIGN_*` in its environment, without a shell. Anything but exit 0 (a signal, the timeout, a program that cannot be started) is a
 * veto: what was not said is not a yes.
 */
export function swapHook(hook: SwapHook, machine: HookMachine): SwapGate {
  return {
    async ask(question, signal) {
      const end = await runHook(hook, question, machine, signal);
      if (signal.aborted) throw signal.reason;
      if (end === 'exit 0') return;
      throw new Failure('swap-vetoed', `hooks.beforeSwap refused the swap: ${hook.script} (${end})`, {
        hint: `The index ${question.generation} is verified and stays for a look. When the hook agrees, the same command resumes, verifies again and asks again.`,
      });
    },
  };
}

/** How it ended, in words. Never throws. */
async function runHook(hook: SwapHook, question: SwapQuestion, machine: HookMachine, signal: AbortSignal): Promise<string> {
  // A group of its own, so that what the script has started ends with it.
  const child = spawn(hook.script, [], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...machine.environment, ...hookEnvironment(question) },
  });
  passOn(child, machine.print);
  let why: string | null = null;
  const timers: NodeJS.Timeout[] = [];
  const stop = (reason: string) => {
    why ??= reason;
    killGroup(child, 'SIGTERM');
    timers.push(setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS));
  };
  timers.push(setTimeout(() => stop(`not done after ${formatDuration(hook.timeoutMs)}`), hook.timeoutMs));
  const onAbort = () => stop('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const end = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`cannot be started: ${errorCode(error)}`));
    child.once('exit', (code, name) => resolve(code === null ? `ended by ${name}` : `exit ${code}`));
  });
  for (const timer of timers) clearTimeout(timer);
  // What it has started and what outlives it; while any of the group lives, its number is not given to others.
  if (why !== null) killGroup(child, 'SIGKILL');
  signal.removeEventListener('abort', onAbort);
  return why ?? end;
}

/** The variables a hook gets; documented in docs/reports.md. */
export function hookEnvironment(question: SwapQuestion): { readonly [name: string]: string } {
  return {
    REALIGN_HOOK: 'beforeSwap',
    REALIGN_INDEX: question.alias,
    REALIGN_TABLE: question.table,
    REALIGN_BUILD: question.build,
    REALIGN_GENERATION: question.generation,
    REALIGN_PREVIOUS: question.previous ?? '',
    REALIGN_ROWS: String(question.rows),
    REALIGN_DOCUMENTS: String(question.documents),
    REALIGN_REJECTED: String(question.rejected),
    REALIGN_FENCE_LSN: question.fenceLsn,
    REALIGN_VERIFY: question.mode,
  };
}

function passOn(child: ChildProcess, print: (text: string) => void): void {
  let left = MAX_OUTPUT_BYTES;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (left > 0) print(text.slice(0, left));
      left -= text.length;
    });
  }
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended already.
  }
}
