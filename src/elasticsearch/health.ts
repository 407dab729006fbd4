import { Failure } from '../core/failure.ts';
import type { Http } from './connect.ts';

/** One question waits no longer than this, so that the answer comes before the client hangs up. */
const MAX_WAIT_MS = 10_000;

/**
 * Waits until the index is green (or at least yellow) with no shard starting or moving; false at the deadline. A wait that ran out is HTTP 408
 * with an ordinary body, for a missing index too (docs/servers.md E18). Throws `target-vanished` if the index is gone.
 */
export async function waitForHealth(http: Http, index: string, status: 'green' | 'yellow', timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const waitMs = Math.max(0, Math.min(deadline - performance.now(), MAX_WAIT_MS, http.requestTimeoutMs / 2));
    const answer = await http.json(healthCall(index, status, waitMs), [408]);
    if (answer !== null && (answer as { timed_out: boolean }).timed_out === false) return true;
    await assertExists(http, index);
    if (performance.now() >= deadline) return false;
  }
}

function healthCall(index: string, status: string, waitMs: number): Parameters<Http['json']>[0] {
  return {
    what: `waiting for the health of ${index}`,
    method: 'GET',
    path: `/_cluster/health/${encodeURIComponent(index)}`,
    query: {
      wait_for_status: status,
      wait_for_no_initializing_shards: 'true',
      wait_for_no_relocating_shards: 'true',
      timeout: `${Math.floor(waitMs)}ms`,
    },
  };
}

async function assertExists(http: Http, index: string): Promise<void> {
  const answer = await http.send({ what: `looking up ${index}`, method: 'HEAD', path: `/${encodeURIComponent(index)}` });
  if (answer.status === 404) throw new Failure('target-vanished', `the index ${index} is gone`, { hint: 'Somebody deleted it; start a new build.' });
}
