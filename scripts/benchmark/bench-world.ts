import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '../../test/support/servers.ts';
import type { ServerPids } from './cpu.ts';

/** The servers that are measured, and a database of the benchmark's own. */
export interface BenchWorld {
  readonly databaseUrl: string;
  readonly elasticsearchUrl: string;
  readonly pids: ServerPids;
  /** Primary shards of every index that is measured. */
  readonly shards: number;
}

const DATABASE = 'realign_bench';

interface InstanceState {
  readonly processes: readonly { readonly kind: string; readonly pid: number }[];
  readonly postgres: { readonly url: string };
  readonly elasticsearch: { readonly url: string };
}

/** Opens the running instance's state (scripts/services) and makes the database anew. */
export async function openBenchWorld(instance: string, shards: number): Promise<BenchWorld> {
  const file = join(import.meta.dirname, '..', '..', '..', '.services', 'instances', instance, 'state.json');
  const state = JSON.parse(readFileSync(file, 'utf8')) as InstanceState;
  const server = await connect(state.postgres.url);
  await server.query(`drop database if exists ${DATABASE} with (force)`);
  await server.query(`create database ${DATABASE}`);
  await server.end();
  const url = new URL(state.postgres.url);
  url.pathname = `/${DATABASE}`;
  const pidsOf = (kind: string): number[] => state.processes.filter((entry) => entry.kind === kind).map((entry) => entry.pid);
  return {
    shards,
    databaseUrl: url.href,
    elasticsearchUrl: state.elasticsearch.url,
    pids: { postgres: pidsOf('postgres')[0] ?? 0, elasticsearch: pidsOf('elasticsearch') },
  };
}
