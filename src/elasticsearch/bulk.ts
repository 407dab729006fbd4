import { randomUUID } from 'node:crypto';
import { Failure } from '../core/failure.ts';
import { allDone, readBulkAnswer } from '../core/sink/bulk-answer.ts';
import type { BulkBody } from '../core/sink/bulk-body.ts';
import { saysAllDone } from '../core/sink/clean-answer.ts';
import type { BulkAnswer } from '../core/sink/operation.ts';
import type { Answer, Call, Http } from './connect.ts';

/**
 * Sends one bulk as it is, through the build alias; never repeats it. No answer, or one that leaves the outcome open, is `{kind: 'retry'}`.
 * Throws `denied`, `target-vanished`, `sink-refused`.
 */
export async function requestBulk(http: Http, buildAlias: string, body: BulkBody): Promise<BulkAnswer> {
  const request = `realign-${randomUUID()}`;
  const answer = await exchangeBulk(http, buildAlias, body.bytes(), request);
  // Timed out or cut: it may have been applied, may still be, or not at all. The same bytes again are right in each case, what comes after them is not.
  if (answer === null) return { kind: 'retry', errorType: 'no_answer', unanswered: request };
  const read = readAnswer(answer, body.count);
  // Anything but "too many requests" may be a proxy's word, given while the server works on.
  return read.kind === 'retry' && answer.status !== 429 ? { ...read, unanswered: request } : read;
}

function readAnswer({ status, body }: Answer, count: number): BulkAnswer {
  if (status === 200 && body !== null && saysAllDone(body, count)) return allDone(count);
  return readBulkAnswer(status, body === null ? '' : body.toString('utf8'), count);
}

/** One `_bulk` request with these bytes, through an alias; null if no answer came. Its tasks in the server carry `opaqueId`. */
export async function exchangeBulk(http: Http, alias: string, bytes: Buffer, opaqueId?: string): Promise<Answer | null> {
  assertUnindexable(alias);
  return sendOnce(http, { ...bulkCall(http, alias, bytes), ...(opaqueId === undefined ? {} : { opaqueId }) });
}

/**
 * An external-version delete auto-creates a missing index, `require_alias` or not (docs/servers.md E6); index operations do not. Alias
 * names may have upper-case letters and index names may not, so for such a name the server refuses with `invalid_index_name_exception`
 * (tried on 9.0.8): only through it may deletes be sent.
 */
export function assertUnindexable(buildAlias: string): void {
  if (buildAlias !== buildAlias.toLowerCase()) return;
  throw new TypeError(`the build alias ${buildAlias} has no upper-case letter, so a delete could create an index of that name`);
}

function bulkCall(http: Http, buildAlias: string, bytes: Buffer): Call {
  return {
    what: 'writing a bulk',
    method: 'POST',
    path: `/${encodeURIComponent(buildAlias)}/_bulk`,
    query: {
      require_alias: 'true',
      // A default pipeline, set by a template, would change documents on the way (docs/servers.md E15).
      pipeline: '_none',
      // `items.*.error` alone would drop the successful items and shift the positions (docs/servers.md E14).
      filter_path: 'errors,items.*.status,items.*.error',
      // A missing shard must be told before we hang up, or each try leaves a request waiting in the server.
      timeout: `${Math.max(1, Math.floor(http.requestTimeoutMs / 2000))}s`,
    },
    body: bytes,
  };
}

async function sendOnce(http: Http, call: Call): Promise<Answer | null> {
  try {
    return await http.send(call);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'connection-lost') return null;
    throw error;
  }
}
