import { fork } from 'node:child_process';
import { randomOf } from '../../test/e2e/writers.ts';
import { connect } from '../../test/support/servers.ts';

/** An application that writes, in a process of its own: single-row updates by primary key, like pgbench's. */
export interface LoadWriter {
  /** Transactions so far. */
  commits(): Promise<number>;
  stop(): Promise<void>;
}

interface WriterSettings {
  readonly url: string;
  readonly clients: number;
  readonly keys: number;
  /** Of all clients together; 0: as many as the server takes. */
  readonly transactionsPerSecond: number;
}

/** Starts it and waits until every client is connected. */
export async function startLoadWriter(settings: WriterSettings): Promise<LoadWriter> {
  const child = fork(import.meta.filename, [JSON.stringify(settings)]);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const message = <T>(): Promise<T> => new Promise((resolve) => child.once('message', (value) => resolve(value as T)));
  await message();
  return {
    commits: () => {
      const counted = message<number>();
      child.send('count');
      return counted;
    },
    stop: () => {
      child.kill();
      return ended;
    },
  };
}

/** Transactions per second from now on until `until` resolves. */
export async function rateUntil(writer: LoadWriter, until: Promise<unknown>): Promise<number> {
  const before = await writer.commits();
  const startedAt = performance.now();
  await until;
  const after = await writer.commits();
  return ((after - before) * 1000) / (performance.now() - startedAt);
}

async function write({ url, clients, keys, transactionsPerSecond }: WriterSettings): Promise<void> {
  const sessions = await Promise.all(Array.from({ length: clients }, () => connect(url)));
  let commits = 0;
  process.on('message', () => process.send?.(commits));
  process.on('disconnect', () => process.exit());
  process.send?.('connected');
  const startedAt = performance.now();
  const work = async (client: (typeof sessions)[number], seed: number): Promise<void> => {
    const random = randomOf(seed);
    for (;;) {
      const dueAt = transactionsPerSecond === 0 ? 0 : startedAt + (commits * 1000) / transactionsPerSecond;
      const waitMs = dueAt - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      await client.query({ name: 'w', text: 'update products set price = price + 1, updated_at = now() where id = $1', values: [1 + random(keys)] });
      commits++;
    }
  };
  await Promise.all(sessions.map(work));
}

if (process.send !== undefined && process.argv[1] === import.meta.filename) await write(JSON.parse(process.argv[2] ?? '{}') as WriterSettings);
