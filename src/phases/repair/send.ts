import { Failure } from '../../core/failure.ts';
import type { OperationOutcome } from '../../core/sink/operation.ts';
import type { RepairOperation } from '../../core/sink/repair-body.ts';
import type { RepairDoor } from '../audit-ports.ts';
import type { VerifyContext } from '../verify/comparison.ts';
import type { RepairTally } from './tally.ts';

const MAX_BYTES = 5 << 20;
/** Before the next round reads again. */
const PAUSE_MS = 500;

/** Sends the writes in requests of a few megabytes. Nothing is sent twice: the next round reads both sides anew and decides again. */
export async function sendWrites(
  context: VerifyContext,
  door: RepairDoor,
  operations: readonly RepairOperation[],
  tally: RepairTally,
): Promise<void> {
  let again = false;
  for (const request of requests(operations)) {
    const answer = await door.write(request);
    if (answer.kind === 'outcomes') again = noteOutcomes(request, answer.outcomes, tally) || again;
    else if (answer.kind === 'retry') again = true;
    else if (request.length === 1) refuseOne(request, answer.kind, tally);
    else await sendEach(context, door, request, tally);
  }
  if (again) await context.clock.sleep(PAUSE_MS, context.signal);
}

/** One action that the server does not take spoils the whole request, so each goes alone. */
async function sendEach(context: VerifyContext, door: RepairDoor, request: readonly RepairOperation[], tally: RepairTally): Promise<void> {
  for (const operation of request) await sendWrites(context, door, [operation], tally);
}

function refuseOne(request: readonly RepairOperation[], kind: 'malformed' | 'too-large', tally: RepairTally): void {
  tally.refuse(
    request.map(({ id }) => id),
    kind === 'malformed' ? 'Elasticsearch does not take the request (id or document malformed)' : 'the document is larger than Elasticsearch takes',
  );
}

/** True if some of them are to be tried again after a pause. */
function noteOutcomes(request: readonly RepairOperation[], outcomes: readonly OperationOutcome[], tally: RepairTally): boolean {
  let again = false;
  for (const [at, operation] of request.entries()) {
    const outcome = outcomes[at];
    if (outcome === undefined)
      throw new Failure('connection-lost', 'the answer to a repair has too few entries', { hint: 'Run the same command again.' });
    if (outcome.kind === 'done') tally.done(operation);
    else if (outcome.kind === 'rejected') tally.refuse([operation.id], outcome.reason);
    // superseded: somebody else was faster, which the next look takes into account.
    else again = true;
  }
  return again;
}

function* requests(operations: readonly RepairOperation[]): Generator<readonly RepairOperation[]> {
  let request: RepairOperation[] = [];
  let bytes = 0;
  for (const operation of operations) {
    const size = operation.document?.length ?? 0;
    if (request.length > 0 && bytes + size > MAX_BYTES) {
      yield request;
      request = [];
      bytes = 0;
    }
    request.push(operation);
    bytes += size;
  }
  if (request.length > 0) yield request;
}
