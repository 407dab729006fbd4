import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Failure } from '../core/failure.ts';
import type { Failpoint } from '../phases/build/failpoints.ts';
import type { Environment } from './config/environment.ts';

export interface Failpoints {
  readonly failpoint?: Failpoint;
  close(): void;
}

/**
 * Test-only: with `REALIGN_FAILPOINTS`, the path of a unix socket, the build tells the test there of each moment (`NUMBER NAME` on a line) and waits until it answers with
 * the number. Without the variable no failpoint exists. Throws `config` if nobody listens.
 */
export async function openFailpoints(environment: Environment): Promise<Failpoints> {
  const path = environment.REALIGN_FAILPOINTS;
  if (path === undefined) return { close: () => undefined };
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch (error) {
    throw new Failure('config', 'nobody listens at REALIGN_FAILPOINTS', { hint: 'The variable is for tests only: unset it.', cause: error });
  }
  return { failpoint: failpointOn(socket), close: () => socket.destroy() };
}

function failpointOn(socket: Socket): Failpoint {
  const waiting = new Map<string, () => void>();
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    waiting.get(line)?.();
    waiting.delete(line);
  });
  // An error of the socket is passed on to it.
  lines.on('error', () => undefined);
  // The test went away: nobody would ever answer.
  socket
    .on('error', () => undefined)
    .on('close', () => {
      for (const go of waiting.values()) go();
    });
  let hits = 0;
  return (name) =>
    new Promise((resolve) => {
      const number = String(++hits);
      if (socket.destroyed) return resolve();
      waiting.set(number, resolve);
      socket.write(`${number} ${name}\n`);
    });
}
