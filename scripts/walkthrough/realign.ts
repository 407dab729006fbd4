import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DATABASE_URL } from './servers.ts';

/** One line of `--output json`. */
export interface RealignEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface RealignResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly events: readonly RealignEvent[];
}

const MAIN = join('dist', 'src', 'cli', 'main.js');

export interface RealignRequest {
  readonly args: readonly string[];
  /** Where its narration goes. */
  readonly log: string;
  /** Called for each event as it comes, with the child, so that it can be killed. */
  readonly onEvent: (event: RealignEvent, child: ChildProcess) => void;
}

/** The database as the role `realign`, which places.ts makes. */
function ownRole(): string {
  const url = new URL(DATABASE_URL);
  [url.username, url.password] = ['realign', 'realign'];
  return url.href;
}

/** Runs the command line as any user would, and hears its events. */
export function runRealign({ args, log, onEvent }: RealignRequest): Promise<RealignResult> {
  const env = { ...process.env, DATABASE_URL: ownRole() };
  const child = spawn(process.execPath, [MAIN, ...args, '--output', 'json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.pipe(createWriteStream(log));
  const events: RealignEvent[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    // The last line of a killed process may be half a line.
    if (!line.startsWith('{') || !line.endsWith('}')) return;
    const event = JSON.parse(line) as RealignEvent;
    events.push(event);
    onEvent(event, child);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, events }));
  });
}
