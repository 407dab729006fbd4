import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseUrl, elasticsearchUrl } from './servers.ts';
import { waitFor } from './wait-for.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.js');

/** One line of `--output json`; fields beyond these depend on the type. */
export interface RealignEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface RealignRun {
  readonly pid: number;
  /** Grows while the command runs. */
  readonly events: readonly RealignEvent[];
  /** Resolves when it ended, however. */
  readonly ended: Promise<RealignExit>;
  /** The first event, past or coming, that the condition accepts; throws at the deadline or when the run ends without it. */
  event(what: string, condition: (event: RealignEvent) => boolean, deadlineMs?: number): Promise<RealignEvent>;
  kill(signal: NodeJS.Signals): void;
  /** What it has written to stderr so far. */
  stderr(): string;
  /** The reader of its stdout goes away. */
  closeOutput(): void;
}

export interface RealignExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly events: readonly RealignEvent[];
}

export interface RealignRequest {
  /** The command with its flags, e.g. `['rebuild', 'products']`. */
  readonly args: readonly string[];
  /** Becomes the config file (JSON is YAML); `null`: no file and no `--config`. Without URLs of its own it gets those of the test servers. */
  readonly config: { readonly [key: string]: unknown } | null;
  readonly databaseUrl?: string;
  /** Beside PATH only these reach the command. */
  readonly env?: { readonly [name: string]: string };
  /** The default is `json`. */
  readonly output?: 'json' | 'human';
}

function completeConfig(request: RealignRequest): string {
  const servers = {
    version: 1,
    postgres: { url: request.databaseUrl ?? databaseUrl(), sslmode: 'disable' },
    elasticsearch: { url: elasticsearchUrl() },
  };
  return JSON.stringify({ ...servers, ...request.config }, null, 2);
}

/** Appends each whole line that is an event; a last line without its newline (after a kill) is not one. */
function collectEvents(child: ChildProcess, events: RealignEvent[]): { readonly text: () => string } {
  let text = '';
  let parsed = 0;
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n', parsed); end >= 0; end = text.indexOf('\n', parsed)) {
      const line = text.slice(parsed, end);
      parsed = end + 1;
      if (line.startsWith('{')) events.push(JSON.parse(line) as RealignEvent);
    }
  });
  return { text: () => text };
}

function waitForExit(child: ChildProcess): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

/** Starts the command line as a child process, as its users do. */
export function startRealign(request: RealignRequest): RealignRun {
  const folder = mkdtempSync(join(tmpdir(), 'realign-run-'));
  const config = join(folder, 'realign.yaml');
  if (request.config !== null) writeFileSync(config, completeConfig(request));
  const flags = [...(request.config === null ? [] : ['--config', config]), '--output', request.output ?? 'json'];
  const env = { PATH: process.env.PATH ?? '', ...request.env };
  const child = spawn(process.execPath, ['--enable-source-maps', MAIN, ...request.args, ...flags], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const events: RealignEvent[] = [];
  const { text } = collectEvents(child, events);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  let over = false;
  const ended = waitForExit(child)
    .then((exit) => ({ ...exit, stdout: text(), stderr, events }))
    .finally(() => {
      over = true;
      rmSync(folder, { recursive: true, force: true });
    });
  const event: RealignRun['event'] = (what, condition, deadlineMs) =>
    waitFor(
      what,
      () => {
        const found = events.find(condition);
        if (found === undefined && over) throw new Error(`realign ended before ${what}; stderr ends with:\n${stderr.slice(-2000)}`);
        return found;
      },
      deadlineMs,
    );
  return {
    pid: child.pid ?? 0,
    events,
    ended,
    event,
    kill: (signal) => void child.kill(signal),
    stderr: () => stderr,
    closeOutput: () => void child.stdout.destroy(),
  };
}

/** Runs the command to its end. */
export function runRealign(request: RealignRequest): Promise<RealignExit> {
  return startRealign(request).ended;
}
