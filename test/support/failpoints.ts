import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FailpointName } from '../../src/phases/build/failpoints.ts';

/** What a test does at a moment of the build, which waits meanwhile. With `never` the build is not told to go on: it is being killed. */
export type FailpointAction = () => Promise<unknown> | unknown;

export interface Failpoints {
  /** For the environment of the program. */
  readonly env: { readonly REALIGN_FAILPOINTS: string };
  /** Every moment passed so far, of all runs. */
  readonly hits: readonly FailpointName[];
  /** Does `action` once, when `name` is passed for the `nth` time from now (1 = the next time). */
  at(name: FailpointName, action: FailpointAction, nth?: number): void;
  /** Ends the socket; rejects if an action failed or never had its moment. */
  close(): Promise<void>;
}

export const never: unique symbol = Symbol('never');

interface Planned {
  readonly name: FailpointName;
  readonly action: FailpointAction;
  left: number;
}

/** Listens on a unix socket for the moments of the builds that are started with `env`. */
export async function listenForFailpoints(): Promise<Failpoints> {
  const folder = mkdtempSync(join(tmpdir(), 'realign-failpoints-'));
  const path = join(folder, 'socket');
  const hits: FailpointName[] = [];
  const planned = new Set<Planned>();
  const sockets = new Set<Socket>();
  const failures: unknown[] = [];

  const act = async (name: FailpointName): Promise<boolean> => {
    hits.push(name);
    for (const plan of [...planned].filter((candidate) => candidate.name === name)) {
      if (--plan.left > 0) continue;
      planned.delete(plan);
      if ((await plan.action()) === never) return false;
    }
    return true;
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    // A killed program ends with a reset, which the interface passes on.
    const lines = createInterface({ input: socket });
    lines
      .on('error', () => undefined)
      .on('line', (line) => {
        const [number, name] = line.split(' ') as [string, FailpointName];
        act(name).then(
          (goOn) => void (goOn && socket.write(`${number}\n`)),
          (error: unknown) => {
            failures.push(error);
            socket.write(`${number}\n`);
          },
        );
      });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    env: { REALIGN_FAILPOINTS: path },
    hits,
    at: (name, action, nth = 1) => void planned.add({ name, action, left: nth }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
      if (failures.length > 0) throw failures[0];
      if (planned.size > 0) throw new Error(`never passed: ${[...planned].map((plan) => plan.name).join(', ')}`);
    },
  };
}
