import { Failure } from '../../core/failure.ts';
import type { BulkBody } from '../../core/sink/bulk-body.ts';
import type { BulkSign } from '../../core/sink/bulk-window.ts';
import type { BulkAnswer, OperationOutcome } from '../../core/sink/operation.ts';
import { type Run, throwIfAborted } from '../build/run-state.ts';
import type { BulkPlace } from './bulk-window.ts';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
const OVER_POLL_MS = 100;

/** An operation that can never be accepted. */
export interface RefusedOperation {
  readonly id: string;
  readonly reason: string;
}

/**
 * Sends a body until every operation of it has a definite outcome, and returns those that can never be accepted. Retries send the same bytes with the
 * same versions, so a bulk whose answer was lost is harmless; but whoever called goes on only when that one is over too (rule R6). Gives up with `stalled` when nothing moved for `stallTimeoutMs`.
 * With a `window` each request takes a place in it.
 */
export async function sendBulk(run: Run, body: BulkBody, window: BulkPlace | null = null): Promise<readonly RefusedOperation[]> {
  const refused: RefusedOperation[] = [];
  const unanswered: string[] = [];
  let open = [body];
  let attempt = 0;
  let movedAt = run.clock.now();
  while (open.length > 0) {
    const again: BulkBody[] = [];
    let why = '';
    for (const part of open) {
      throwIfAborted(run.signal);
      const answer = await sendOnce(run, part, window);
      await run.failpoint?.('bulk.acknowledged');
      if (answer.kind === 'retry' && answer.unanswered !== undefined) unanswered.push(answer.unanswered);
      // A single document that is too large is no measure for the others.
      if (answer.kind === 'too-large' && part.count > 1) run.bulkTuning.tooLarge(part.byteLength);
      const verdict = judge(part, answer);
      refused.push(...verdict.refused);
      run.counters.written += verdict.done;
      run.counters.superseded += verdict.superseded;
      again.push(...verdict.again);
      if (verdict.moved) movedAt = run.clock.now();
      if (verdict.why !== '') why = verdict.why;
    }
    open = again;
    if (open.length > 0 && why !== '') await pause(run, why, attempt++, movedAt);
  }
  if (unanswered.length > 0) await waitUntilOver(run, unanswered);
  if (run.counters.throttle !== '') run.counters.throttle = '';
  return refused;
}

/**
 * Rule R6: a request that was given up is not over: the server may apply it later, behind a delete that is sent next and whose tombstone is forgotten by then. So
 * neither a lane nor a chunk goes on before its tasks are gone.
 */
async function waitUntilOver(run: Run, requests: readonly string[]): Promise<void> {
  const startedAt = run.clock.now();
  while ((await run.sink.runningRequests(requests)) > 0) {
    if (run.clock.now() - startedAt > run.options.stallTimeoutMs) {
      throw new Failure('stalled', `${requests.length} bulk requests without an answer are still running in Elasticsearch`, {
        hint: 'Look at the cluster (GET _tasks?actions=*bulk*); the same command again resumes the build.',
      });
    }
    run.counters.throttle = 'elasticsearch: a bulk without an answer still runs';
    await run.clock.sleep(OVER_POLL_MS, run.signal);
  }
}

async function sendOnce(run: Run, body: BulkBody, window: BulkPlace | null): Promise<BulkAnswer> {
  await window?.enter();
  const sentAt = run.clock.now();
  let sign: BulkSign | null = null;
  try {
    // It may have waited for its place while the run ended.
    throwIfAborted(run.signal);
    const [answer] = await Promise.all([run.sink.bulk(run.names.buildAlias, body), run.failpoint?.('bulk.sent')]);
    sign = signOf(answer);
    return answer;
  } finally {
    window?.leave(sign, { sentAt, bytes: body.byteLength });
  }
}

/** Blocks on the index, which are answered at once, say nothing about how much is under way. */
function signOf(answer: BulkAnswer): BulkSign | null {
  if (answer.kind === 'retry') return 'overloaded';
  if (answer.kind !== 'outcomes') return null;
  const has = (wanted: OperationOutcome['kind']): boolean => answer.outcomes.some(({ kind }) => kind === wanted);
  if (has('retry')) return 'overloaded';
  return has('blocked') ? null : 'accepted';
}

interface Verdict {
  readonly refused: readonly RefusedOperation[];
  readonly again: readonly BulkBody[];
  readonly done: number;
  readonly superseded: number;
  /** Something was settled or made smaller: the deadline starts anew. */
  readonly moved: boolean;
  /** Why a pause is needed before `again` is sent; empty if it may be sent at once. */
  readonly why: string;
}

function judge(body: BulkBody, answer: BulkAnswer): Verdict {
  switch (answer.kind) {
    case 'outcomes':
      return judgeOutcomes(body, answer.outcomes);
    case 'retry':
      return { refused: [], again: [body], done: 0, superseded: 0, moved: false, why: answer.errorType };
    case 'malformed':
      return split(body, answer.errorType);
    case 'too-large':
      return split(body, 'the document is larger than one request may be (http.max_content_length)');
  }
}

/** A row that cannot be indexed is a reject. A delete that cannot be done is nothing of the kind: without it the index would keep what the table has not. */
function refuse(body: BulkBody, position: number, reason: string): RefusedOperation {
  if (body.kindAt(position) === 'index') return { id: body.idAt(position), reason };
  throw new Failure('sink-refused', `Elasticsearch refuses a delete for good: ${reason}`, {
    hint: 'The build stops before the change counts as applied. Look at the index and its settings; the same command again resumes the build.',
  });
}

/** One bad action spoils a whole request: halve it until it stands alone (docs/servers.md E9, E12). */
function split(body: BulkBody, reason: string): Verdict {
  if (body.count === 0) throw new RangeError('BUG: a bulk without operations');
  const nothing = { done: 0, superseded: 0, moved: true, why: '' };
  if (body.count === 1) return { ...nothing, refused: [refuse(body, 0, reason)], again: [] };
  const positions = Array.from({ length: body.count }, (_, i) => i);
  const middle = body.count >> 1;
  return { ...nothing, refused: [], again: [body.slice(positions.slice(0, middle)), body.slice(positions.slice(middle))] };
}

function judgeOutcomes(body: BulkBody, outcomes: readonly OperationOutcome[]): Verdict {
  const refused: RefusedOperation[] = [];
  const again: number[] = [];
  let done = 0;
  let superseded = 0;
  let why = '';
  outcomes.forEach((outcome, position) => {
    switch (outcome.kind) {
      case 'done':
        done++;
        break;
      case 'superseded':
        superseded++;
        break;
      case 'rejected':
        refused.push(refuse(body, position, outcome.reason));
        break;
      case 'retry':
      case 'blocked':
        again.push(position);
        why = outcome.errorType;
        break;
    }
  });
  const bodies = again.length === 0 ? [] : again.length === body.count ? [body] : [body.slice(again)];
  return { refused, again: bodies, done, superseded, moved: again.length < body.count, why };
}

async function pause(run: Run, why: string, attempt: number, movedAt: number): Promise<void> {
  const waitedMs = run.clock.now() - movedAt;
  if (waitedMs > run.options.stallTimeoutMs) {
    throw new Failure('stalled', `Elasticsearch has accepted nothing for ${Math.round(waitedMs / 1000)} s: ${why}`, {
      hint: 'Look at the cluster (disk watermarks, write queue, blocks); the same command again resumes the build.',
    });
  }
  const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 10)) * (0.75 + run.random() / 2);
  run.counters.retries++;
  run.counters.throttle = `elasticsearch: ${why}`;
  run.reporter.report({ type: 'retry', operation: 'bulk', errorType: why, attempt: attempt + 1, delayMs: Math.round(delayMs) });
  await run.clock.sleep(delayMs, run.signal);
}
