import { setTimeout as pause } from 'node:timers/promises';
import { type HttpFault, isBulk } from '../../support/http-fault-proxy.ts';
import type { OwnServers } from '../../support/own-servers.ts';
import type { RealignRun } from '../../support/run-realign.ts';
import { elasticsearch } from '../../support/servers.ts';
import type { FaultWorld } from '../fault-world.ts';
import { crashElasticsearch, stopPostgres } from './server-faults.ts';

/** What a fault may strike. */
export interface Target {
  readonly servers: OwnServers;
  readonly world: FaultWorld;
  readonly run: RealignRun;
  readonly random: (below: number) => number;
}

/** Resolves when the fault is over and the servers are as they were; how often it comes against the others is `weight`. */
export interface SoakFault {
  readonly name: string;
  readonly weight: number;
  strike(target: Target): Promise<unknown> | unknown;
}

const overloaded = JSON.stringify({ error: { type: 'es_rejected_execution_exception', reason: 'storm', root_cause: [] }, status: 429 });

const BULK_FAULTS: readonly (readonly [string, HttpFault])[] = [
  ['answers of bulks lost', { kind: 'drop-answer' }],
  ['bulks cut half way', { kind: 'cut-request' }],
  ['answers of bulks cut off', { kind: 'truncate-answer' }],
  ['bulks delivered twice at once', { kind: 'deliver-twice' }],
  ['429 to whole bulks', { kind: 'respond', status: 429, body: overloaded }],
  ['502 with HTML from a proxy', { kind: 'respond', status: 502, body: '<html>bad gateway</html>', contentType: 'text/html' }],
];

const WALSENDER = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and backend_type = 'walsender'`;
const COPIES = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'copy (select%'`;

async function frozen({ servers, random }: Target): Promise<void> {
  const [pid = 0] = servers.state().elasticsearch.pids;
  servers.signal(pid, 'SIGSTOP');
  await pause(random(3000));
  servers.signal(pid, 'SIGCONT');
}

async function blocked({ world, random }: Target): Promise<void> {
  const index = await world.generation();
  if (index === '') return;
  const set = (value: true | null): Promise<unknown> => elasticsearch('PUT', `/${index}/_settings`, { 'index.blocks.read_only_allow_delete': value });
  await set(true);
  await pause(random(3000));
  await set(null);
}

export const SOAK_FAULTS: readonly SoakFault[] = [
  { name: 'SIGKILL', weight: 6, strike: ({ run }) => run.kill('SIGKILL') },
  { name: 'SIGTERM', weight: 2, strike: ({ run }) => run.kill('SIGTERM') },
  { name: 'all connections to PostgreSQL reset', weight: 3, strike: ({ world }) => world.postgres.reset() },
  { name: 'connections to PostgreSQL end with FIN', weight: 1, strike: ({ world }) => world.postgres.halfClose() },
  { name: 'walsender terminated', weight: 3, strike: ({ world }) => world.sql(WALSENDER) },
  { name: 'COPY backends terminated', weight: 3, strike: ({ world }) => world.sql(COPIES) },
  { name: 'PostgreSQL stopped in immediate mode', weight: 1, strike: ({ servers, world }) => stopPostgres(servers, world) },
  { name: 'Elasticsearch killed (kill -9)', weight: 1, strike: ({ servers }) => crashElasticsearch(servers) },
  { name: 'Elasticsearch stopped for a while (SIGSTOP)', weight: 2, strike: frozen },
  { name: 'flood-stage block for a while', weight: 2, strike: blocked },
  { name: 'VACUUM FULL', weight: 1, strike: ({ world }) => world.sql('vacuum full things') },
  {
    name: 'TRUNCATE and refill',
    weight: 1,
    strike: ({ world }) =>
      world.sql(`begin; truncate things; insert into things (id, name, n) select g, 'refilled', g from generate_series(1, 500) g; commit`),
  },
  ...BULK_FAULTS.map(
    ([name, fault]): SoakFault => ({ name, weight: 2, strike: ({ world, random }) => world.http.next(isBulk, fault, 1 + random(4)) }),
  ),
];

/** One of them, by weight. */
export function chooseFault(random: (below: number) => number): SoakFault {
  let at = random(SOAK_FAULTS.reduce((sum, { weight }) => sum + weight, 0));
  for (const fault of SOAK_FAULTS) {
    at -= fault.weight;
    if (at < 0) return fault;
  }
  throw new RangeError('the weights do not add up');
}
