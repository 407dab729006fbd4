import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { PostgresFrames } from './postgres-frames.ts';

/** What is done to the bytes of one direction; `up` is towards the server. */
export interface Fault {
  readonly direction: 'up' | 'down';
  /** Which connections: those on which the server has begun a COPY of rows, or streams WAL; all without it (PostgreSQL only). */
  readonly on?: 'copy' | 'stream';
  readonly kind: 'cut' | 'corrupt' | 'swallow';
  /** Counted from now over the bytes (or, with `inMessage`, the CopyData messages) of this direction on one connection. */
  readonly after: number;
  /** `cut` and `corrupt` in the middle of the CopyData message with that number. */
  readonly inMessage?: boolean;
}

export interface FaultProxy {
  readonly port: number;
  /** The same URL by way of the proxy. */
  through(url: string): string;
  /** Happens once, on the first connection that fits. Resolves when it did. */
  once(fault: Fault): Promise<void>;
  /** Cuts every connection at once with RST. */
  reset(): void;
  /** Ends the server's direction of every connection with FIN, and leaves the other one open. */
  halfClose(): void;
  /** While true, nothing that arrives is passed on in either direction and no connection is closed: packets get lost. */
  blackhole: boolean;
  /** Refuses the next connections with RST. */
  rejectNext(count: number): void;
  /** Delays each packet towards the server. */
  latencyMs: number;
  /** Bytes a second from the server, of each connection; 0 = as fast as it goes. */
  bandwidth: number;
  /** Connections that are open. */
  readonly connections: number;
  close(): Promise<void>;
}

interface Pending extends Fault {
  readonly done: () => void;
}

interface Pipe {
  readonly client: Socket;
  readonly server: Socket;
  readonly frames: PostgresFrames;
  readonly seen: { up: number; down: number };
}

class TcpFaultProxy implements FaultProxy {
  port = 0;
  blackhole = false;
  latencyMs = 0;
  bandwidth = 0;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pipes = new Set<Pipe>();
  readonly #faults: Pending[] = [];
  #reject = 0;
  readonly #server = createServer((client) => this.#accept(client));

  constructor(target: URL) {
    this.#target = { host: target.hostname, port: Number(target.port) };
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as { port: number }).port;
    return this;
  }

  get connections(): number {
    return this.#pipes.size;
  }

  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  once(fault: Fault): Promise<void> {
    return new Promise((done) => this.#faults.push({ ...fault, done }));
  }

  reset(): void {
    for (const pipe of this.#pipes) cut(pipe);
  }

  halfClose(): void {
    for (const { client } of this.#pipes) client.end();
  }

  rejectNext(count: number): void {
    this.#reject = count;
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pipes) for (const socket of [client, server]) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    if (this.#reject > 0) {
      this.#reject--;
      client.on('error', () => undefined).resetAndDestroy();
      return;
    }
    const server = connect({ ...this.#target, allowHalfOpen: true });
    const pipe: Pipe = { client, server, frames: new PostgresFrames(), seen: { up: 0, down: 0 } };
    this.#pipes.add(pipe);
    const over = (): void => {
      this.#pipes.delete(pipe);
      // In a black hole not even the end of the other side arrives.
      if (this.blackhole) return;
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', () => undefined).on('close', over);
    // What was sent before the end of one side still has to arrive at the other.
    const ended = (to: Socket) => (): void => void (this.blackhole || to.end());
    this.#pump(pipe, 'up').then(ended(server), over);
    this.#pump(pipe, 'down').then(ended(client), over);
  }

  /** One packet after the other: the back-pressure of the slower side reaches the faster one. */
  async #pump(pipe: Pipe, direction: 'up' | 'down'): Promise<void> {
    const [from, to] = direction === 'up' ? [pipe.client, pipe.server] : [pipe.server, pipe.client];
    for await (const chunk of from as AsyncIterable<Buffer>) {
      if (this.blackhole) continue;
      if (direction === 'up' && this.latencyMs > 0) await pause(this.latencyMs);
      if (direction === 'down' && this.bandwidth > 0) await pause((chunk.length / this.bandwidth) * 1000);
      const passed = this.#apply(pipe, direction, chunk);
      if (passed.length > 0 && !to.destroyed && !to.write(passed)) await drained(to);
    }
  }

  #apply(pipe: Pipe, direction: 'up' | 'down', chunk: Buffer): Buffer {
    const middles = direction === 'down' ? pipe.frames.push(chunk) : [];
    const before = pipe.seen[direction];
    pipe.seen[direction] += chunk.length;
    const fault = this.#faults.find((one) => one.direction === direction && (one.on === undefined || one.on === pipe.frames.mode));
    if (fault === undefined) return chunk;
    const at = fault.inMessage === true ? middles.find(({ number }) => number === fault.after)?.offset : Math.max(0, fault.after - before);
    if (at === undefined || at >= chunk.length) return chunk;
    this.#faults.splice(this.#faults.indexOf(fault), 1);
    return this.#strike(fault, pipe, chunk, at);
  }

  #strike(fault: Pending, pipe: Pipe, chunk: Buffer, at: number): Buffer {
    fault.done();
    switch (fault.kind) {
      case 'swallow':
        return chunk.subarray(0, at);
      case 'corrupt': {
        const damaged = Buffer.from(chunk);
        damaged[at] = (damaged[at] as number) ^ 0xff;
        return damaged;
      }
      case 'cut':
        // What was passed must arrive before the RST, which discards what is on its way.
        setImmediate(() => cut(pipe));
        return chunk.subarray(0, at);
    }
  }
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

function cut({ client, server }: Pipe): void {
  client.resetAndDestroy();
  server.resetAndDestroy();
}

/** A proxy on a free local port before a server; without faults it only passes bytes on. */
export function openFaultProxy(target: string): Promise<FaultProxy> {
  return new TcpFaultProxy(new URL(target)).listen();
}
