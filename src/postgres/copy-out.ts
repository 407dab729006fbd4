import { to as copyTo } from 'pg-copy-streams';
import { Failure } from '../core/failure.ts';
import { answered, destroySession, query, type Session } from './connect.ts';
import type { SessionPool } from './session-pool.ts';
import { type FailureContext, toFailure } from './sqlstate.ts';

/** One `COPY … TO STDOUT` in progress. */
export interface CopyOut {
  /** Raw COPY text as it arrives, not row-aligned. Ends only after the server has confirmed the row count. */
  chunks(): AsyncGenerator<Buffer>;
  /** True once the COPY has ended well and the session can be used again. */
  readonly finished: boolean;
}

const NEWLINE = 0x0a;

/** Starts the COPY of a query. `session` must be left alone until it has finished. */
export function startCopy(session: Session, context: FailureContext, select: string): CopyOut {
  const stream = copyTo(`copy (${select}) to stdout`);
  let broken: { readonly error: unknown } | null = null;
  const ready = new Promise<void>((resolve, reject) => {
    stream.on('error', (error) => {
      broken ??= { error };
      reject(error);
    });
    // The tag with the row count may come in a later packet than the end of the rows.
    Object.assign(stream, { handleReadyForQuery: () => resolve() });
  });
  ready.catch(() => undefined);
  session.client.query(stream);
  let finished = false;

  async function* chunks(): AsyncGenerator<Buffer> {
    // It only emits an error, without being destroyed: an iterator made after that would wait for ever.
    if (broken !== null) throw toFailure(broken.error, context);
    let newlines = 0;
    const source = stream.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    try {
      for (let next = await answered(session, source.next()); next.done !== true; next = await answered(session, source.next())) {
        newlines += countNewlines(next.value as Buffer);
        yield next.value as Buffer;
      }
      await answered(session, ready);
    } catch (error) {
      throw toFailure(error, context);
    }
    if (newlines !== stream.rowCount) {
      throw new Failure('connection-lost', `${context.doing}: ${newlines} rows arrived, the server sent ${stream.rowCount}`, {
        hint: 'Something between here and the server lost a part, such as a proxy: connect to it directly, and run the same command again.',
      });
    }
    finished = true;
  }
  return {
    chunks,
    get finished() {
      return finished;
    },
  };
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
 * Ends a COPY that may still run: a clean cancel from another session, then the connection goes. pg-copy-streams cannot stop a COPY, and a
 * destroyed stream would leave the backend in it (docs/servers.md C3).
 */
export async function abandonCopy(pool: SessionPool, session: Session): Promise<void> {
  if (session.lost === null) {
    await pool.use((control) => query(control, { doing: 'cancelling a COPY' }, 'select pg_cancel_backend($1)', [session.pid]));
  }
  destroySession(session);
}

function countNewlines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
