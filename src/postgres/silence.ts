import { Failure } from '../core/failure.ts';

/** A connection as far as silence is concerned. */
export interface Line {
  /** Bytes received so far. */
  readonly bytesRead: () => number;
  readonly silenceMs: number;
  /** Ends the connection at once. */
  readonly cut: () => void;
}

/**
 * Waits for the server as long as bytes arrive; after `silenceMs` without any it cuts the connection and throws `connection-lost`: a stopped backend or a half-open
 * connection would hang for ever. Never a total timer: a long COPY that moves is healthy.
 */
export async function unlessSilent<T>(line: Line, awaited: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const silent = new Promise<never>((_, reject) => {
    stop = watch(line, () => {
      reject(
        new Failure('connection-lost', `PostgreSQL sent nothing for ${line.silenceMs / 1000} s`, {
          hint: 'The server or the network is stuck; run the same command again.',
        }),
      );
      line.cut();
    });
  });
  try {
    return await Promise.race([awaited, silent]);
  } finally {
    stop();
  }
}

/** Looks four times in the period whether bytes have arrived. */
function watch({ bytesRead, silenceMs }: Line, onSilence: () => void): () => void {
  let seen = bytesRead();
  let movedMs = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    if (bytesRead() !== seen) {
      seen = bytesRead();
      movedMs = now;
    } else if (now - movedMs >= silenceMs) {
      clearInterval(timer);
      onSilence();
    }
  }, silenceMs / 4);
  return () => clearInterval(timer);
}
