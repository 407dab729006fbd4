import { Failure } from '../core/failure.ts';
import { answered, destroySession, query, type Session } from './connect.ts';
import { CopyQuery } from './copy-query.ts';
import type { SessionPool } from './session-pool.ts';
import { type FailureContext, toFailure } from './sqlstate.ts';

/** One `COPY … TO STDOUT` in progress. */
export interface CopyOut {
  /** Raw COPY text as it arrives, not row-aligned. Ends only after the server has confirmed the row count. */
  chunks(): AsyncGenerator<Buffer>;
  /** True once the COPY has ended well and the session can be used again. */
  readonly finished: boolean;
}

/** Starts the COPY of a query. `session` must be left alone until it has finished. */
export function startCopy(session: Session, context: FailureContext, select: string): CopyOut {
  const copy = session.client.query(new CopyQuery(`copy (${select}) to stdout`));
  let finished = false;

  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (let piece = copy.take(); piece !== null; piece = copy.take()) {
        if (piece === undefined) await answered(session, copy.arrival());
        else yield piece;
      }
    } catch (error) {
      throw toFailure(error, context);
    }
    if (copy.rows !== copy.rowCount || copy.damaged) throw incomplete(context, copy);
    finished = true;
  }
  return {
    chunks,
    get finished() {
      return finished;
    },
  };
}

function incomplete({ doing }: FailureContext, { rows, rowCount, damaged }: CopyQuery): Failure {
  const what = damaged
    ? `a message arrived that does not end a row, with ${rows} rows of ${rowCount}`
    : `${rows} rows arrived, the server sent ${rowCount}`;
  return new Failure('connection-lost', `${doing}: ${what}`, {
    hint: 'Something between here and the server lost a part, such as a proxy: connect to it directly, and run the same command again.',
  });
}

/** COPY of one query after another, as if it were one COPY. */
export function startCopies(session: Session, context: FailureContext, selects: Iterable<string>): CopyOut {
  let running: CopyOut | null = null;
  return {
    chunks: async function* () {
      for (const select of selects) {
        running = startCopy(session, context, select);
        yield* running.chunks();
      }
    },
    get finished() {
      return running?.finished ?? true;
    },
  };
}

/**
 * Ends a COPY that may still run: a clean cancel from another session, then the connection goes. A client that no longer reads leaves the
 * backend in it (docs/servers.md C3).
 */
export async function abandonCopy(pool: SessionPool, session: Session): Promise<void> {
  if (session.lost === null) {
    await pool.use((control) => query(control, { doing: 'cancelling a COPY' }, 'select pg_cancel_backend($1)', [session.pid]));
  }
  destroySession(session);
}
