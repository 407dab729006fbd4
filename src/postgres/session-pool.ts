import { connect, destroySession, endSession, type PostgresConfig, type Session } from './connect.ts';

/** Sessions that are used again: connecting and pinning costs several round trips, and a load opens one chunk after another. */
export interface SessionPool {
  acquire(): Promise<Session>;
  /** Gives a session back that is outside any transaction. */
  release(session: Session): void;
  /** Runs `work` with a session; a session whose work threw is not used again. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const MAX_IDLE = 8;

/** A pool without an upper bound: its users are bounded (`copy-jobs`, lookups). */
export function openSessionPool(config: PostgresConfig): SessionPool {
  const idle: Session[] = [];
  let closed = false;

  const acquire = async (): Promise<Session> => {
    for (let session = idle.pop(); session !== undefined; session = idle.pop()) {
      if (session.lost === null) return session;
      destroySession(session);
    }
    return connect(config, { replication: false });
  };

  const release = (session: Session): void => {
    if (session.lost === null && !closed && idle.length < MAX_IDLE) idle.push(session);
    else void endSession(session);
  };

  const use = async <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const session = await acquire();
    try {
      const result = await work(session);
      release(session);
      return result;
    } catch (error) {
      await endSession(session);
      throw error;
    }
  };

  const close = async (): Promise<void> => {
    closed = true;
    await Promise.all(idle.splice(0).map(endSession));
  };
  return { acquire, release, use, close };
}
