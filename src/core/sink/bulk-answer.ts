import { Failure } from '../failure.ts';
import { classifyError } from './error-class.ts';
import type { BulkAnswer, OperationOutcome } from './operation.ts';

interface AnsweredOperation {
  readonly status: number;
  readonly error: BulkError | undefined;
}

/** An error as Elasticsearch writes it. `reason` holds previews of values: it is only searched for a field name, never passed on. */
interface BulkError {
  readonly type: string;
  readonly reason: string;
  readonly cause: string | undefined;
}

const DONE: OperationOutcome = { kind: 'done' };
const SUPERSEDED: OperationOutcome = { kind: 'superseded' };
const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** What is said of `count` operations that were all carried out. */
export function allDone(count: number): BulkAnswer {
  return { kind: 'outcomes', outcomes: new Array<OperationOutcome>(count).fill(DONE) };
}

/**
 * Reads the answer to one `_bulk` of `count` operations, asked for with `filter_path=errors,items.*.status,items.*.error` (which keeps the
 * positions; `items.*.error` alone does not, docs/servers.md E14). `errors` is not looked at: it is false for a delete that found
 * nothing, and the items say it all. A 200 that is not JSON or does not have exactly `count` items leaves the outcome unknown: `retry`.
 * Throws `denied`, `target-vanished`, `sink-refused`.
 */
export function readBulkAnswer(status: number, body: string, count: number): BulkAnswer {
  if (status === 413) return { kind: 'too-large' };
  const answer = parseObject(body);
  if (status === 200) return readOperations(answer, count);
  const error = readError(answer?.error);
  const errorType = error?.type ?? `http_${status}`;
  if (status === 400) return { kind: 'malformed', errorType };
  if (status === 401) throw refusedFailure('denied', errorType);
  return readWhole(status, errorType, count);
}

function readWhole(status: number, errorType: string, count: number): BulkAnswer {
  const errorClass = classifyError(errorType);
  if (errorClass === 'blocked') return { kind: 'outcomes', outcomes: new Array<OperationOutcome>(count).fill({ kind: 'blocked', errorType }) };
  if (errorClass === 'retry' || (RETRYABLE_STATUS.has(status) && errorClass === 'unknown')) return { kind: 'retry', errorType };
  if (errorClass === 'vanished') throw refusedFailure('target-vanished', errorType);
  throw refusedFailure(errorClass === 'denied' || status === 403 ? 'denied' : 'sink-refused', errorType);
}

function readOperations(answer: { readonly [key: string]: unknown } | undefined, count: number): BulkAnswer {
  const items = answer?.items;
  if (!Array.isArray(items) || items.length !== count) return { kind: 'retry', errorType: 'unreadable_answer' };
  const outcomes: OperationOutcome[] = [];
  for (const entry of items) {
    const answered = readOperation(entry);
    if (answered === undefined) return { kind: 'retry', errorType: 'unreadable_answer' };
    outcomes.push(outcomeOf(answered));
  }
  return { kind: 'outcomes', outcomes };
}

function outcomeOf(answered: AnsweredOperation): OperationOutcome {
  if (answered.error === undefined) return answered.status < 300 || answered.status === 404 ? DONE : refuse(`http_${answered.status}`);
  const { type } = answered.error;
  switch (classifyError(type)) {
    case 'superseded':
      return SUPERSEDED;
    case 'rejected':
      return { kind: 'rejected', errorType: type, reason: describe(answered.error) };
    case 'retry':
      return { kind: 'retry', errorType: type };
    case 'blocked':
      return { kind: 'blocked', errorType: type };
    case 'vanished':
      throw refusedFailure('target-vanished', type);
    case 'denied':
      throw refusedFailure('denied', type);
    case 'unknown':
      return refuse(type);
  }
}

function refuse(errorType: string): never {
  throw refusedFailure('sink-refused', errorType);
}

const HINTS: { readonly [kind in 'denied' | 'target-vanished' | 'sink-refused']: string } = {
  denied: 'Give the user or API key the privileges that `realign init --print-es-role` prints, then run the same command again.',
  'target-vanished':
    'Somebody deleted the new index or its build alias. Run the same command with --fresh for a new one; the live alias is untouched.',
  'sink-refused': 'This error is not known to pass by itself; look at the Elasticsearch log. The live alias is untouched.',
};

function refusedFailure(kind: 'denied' | 'target-vanished' | 'sink-refused', errorType: string): Failure {
  return new Failure(kind, `Elasticsearch answered a bulk request with ${errorType}`, { hint: HINTS[kind] });
}

/** What is said of a rejected document: types and, where the error names one, the field; never a value. */
function describe(error: BulkError): string {
  const cause = error.cause === undefined || error.cause === error.type ? '' : ` (${error.cause})`;
  const field = fieldNamed(error.reason);
  return field === undefined ? `${error.type}${cause}` : `field ${field}: ${error.type}${cause}`;
}

/** Anchored at the start, where the server's own words are: previews of values come later in the text. */
const FIELD_PATTERNS: readonly RegExp[] = [
  /^(?:\[\d+:\d+\] )?failed to parse field \[([^[\]]{1,256})\] of type \[/,
  /^(?:\[\d+:\d+\] )?object mapping for \[([^[\]]{1,256})\] tried to parse field/,
  /^(?:\[\d+:\d+\] )?mapping set to strict, dynamic introduction of \[([^[\]]{1,256})\] within \[_doc\]/,
  /^(?:\[\d+:\d+\] )?mapping set to strict, dynamic introduction of \[[^[\]]{1,256}\] within \[([^[\]]{1,256})\]/,
  /^Document contains at least one immense term in field="([^"]{1,256})"/,
];

/** The top-level field only: what follows the first dot may be a key inside a json value, and so content. */
function fieldNamed(reason: string): string | undefined {
  for (const pattern of FIELD_PATTERNS) {
    const name = pattern.exec(reason)?.[1];
    if (name !== undefined) return name.split('.', 1)[0];
  }
  return undefined;
}

function parseObject(body: string): { readonly [key: string]: unknown } | undefined {
  try {
    return asObject(JSON.parse(body));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): { readonly [key: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : undefined;
}

/** One entry of `items`: `{"index":{"status":…,"error":…}}` or `{"delete":…}`. */
function readOperation(entry: unknown): AnsweredOperation | undefined {
  const outer = asObject(entry);
  const inner = asObject(outer?.index ?? outer?.delete ?? outer?.create);
  if (typeof inner?.status !== 'number') return undefined;
  if (inner.error === undefined) return { status: inner.status, error: undefined };
  return { status: inner.status, error: readError(inner.error) ?? { type: `http_${inner.status}`, reason: '', cause: undefined } };
}

function readError(value: unknown): BulkError | undefined {
  const error = asObject(value);
  if (typeof error?.type !== 'string') return undefined;
  const cause = asObject(error.caused_by)?.type;
  return {
    type: typeName(error.type),
    reason: typeof error.reason === 'string' ? error.reason : '',
    cause: typeof cause === 'string' ? typeName(cause) : undefined,
  };
}

/** Exception names are snake case; anything else is not passed on. */
function typeName(type: string): string {
  return /^[a-z0-9_]{1,80}$/.test(type) ? type : 'unnamed_exception';
}
