import { closeSync, openSync, writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { Failure } from '../core/failure.ts';
import type { Flags } from './arguments.ts';
import { errorCode } from './config/environment.ts';
import { escapedJson } from './escaped-json.ts';
import type { OutputEvent } from './output/output-event.ts';
import { keyValueLine } from './output/plain-lines.ts';

export interface Log {
  event(index: string | null, event: OutputEvent): void;
  error(error: unknown): void;
  close(): void;
}

const LEVEL_NAMES: { readonly [level: number]: string } = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };

/** Opens the log of `--log-file`, else of stderr. Every line passes the scrubber; there are never row values in it. */
export function openLog(flags: Flags, stderr: (text: string) => void, scrub: (text: string) => string): Log {
  const file = typeof flags['log-file'] === 'string' ? openLogFile(flags['log-file']) : null;
  // On stderr the transcript already says what happens; only what it leaves out (stacks of bugs) is logged there unless asked for.
  const level = typeof flags['log-level'] === 'string' ? flags['log-level'] : flags.verbose === true ? 'debug' : file === null ? 'error' : 'info';
  const write = file === null ? stderr : writerOf(file, scrub, stderr);
  const form = flags['log-format'] === 'json' ? (line: string) => escapedJson(line) : humanLine;
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = pino(options, { write: (line: string) => write(form(line)) });
  return {
    event: (index, event) => logEvent(logger, index, event),
    error: (error) => logError(logger, error),
    close: () => {
      if (file !== null) closeSync(file);
    },
  };
}

/** A log that cannot be written (no space) ends with one word about it; the work goes on, as what matters is told elsewhere too. */
function writerOf(file: number, scrub: (text: string) => string, stderr: (text: string) => void): (text: string) => void {
  let broken = false;
  return (text) => {
    if (broken) return;
    try {
      writeSync(file, scrub(text));
    } catch (error) {
      broken = true;
      stderr(`the log file cannot be written any more (${errorCode(error)}); it ends here\n`);
    }
  };
}

function logEvent(logger: Logger, index: string | null, event: OutputEvent): void {
  const { type, ...fields } = event;
  const shown = type === 'verify.result' || type === 'audit.result' ? { ...fields, differences: undefined } : fields;
  logger[levelOf(type)]({ index, ...shown }, type);
}

function levelOf(type: OutputEvent['type']): 'debug' | 'info' | 'warn' {
  if (type === 'warning' || type === 'throttle' || type === 'error' || type === 'rejected') return 'warn';
  return type === 'progress' || type === 'retry' || type === 'finding' ? 'debug' : 'info';
}

/** Class, code and stack frames of an error and its causes. Messages of drivers are left out: they may quote row values. */
function logError(logger: Logger, error: unknown): void {
  const chain: object[] = [];
  for (let at: unknown = error; at instanceof Error && chain.length < 5; at = at.cause) {
    const frames = (at.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    const code = 'code' in at && typeof at.code === 'string' ? { code: at.code } : {};
    chain.push({ name: at.name, ...code, ...(at instanceof Failure ? { kind: at.kind } : {}), frames: frames.map((line) => line.trim()) });
  }
  logger[error instanceof Failure ? 'debug' : 'error']({ errors: chain }, 'error.detail');
}

function humanLine(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as { time: string; level: number; msg?: string; [key: string]: unknown };
  const pairs = Object.entries(fields).map(([key, value]) => [key, typeof value === 'object' ? JSON.stringify(value) : value] as const);
  const text = keyValueLine(Object.fromEntries(pairs) as { [key: string]: string });
  return `${time} ${(LEVEL_NAMES[level] ?? String(level)).padEnd(5)} ${msg ?? ''} ${text}`.trimEnd().concat('\n');
}

function openLogFile(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new Failure('config', `the log file cannot be opened: ${path} (${errorCode(error)})`, {
      hint: 'Give another path with --log-file.',
      cause: error,
    });
  }
}
