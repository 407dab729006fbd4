import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { connect } from '../../test/support/servers.ts';
import type { ServerPids } from './cpu.ts';

/** The servers that are measured, and a database of the benchmark's own. */
export interface BenchWorld {
  readonly databaseUrl: string;
  readonly elasticsearchUrl: string;
  /** Of every node of the cluster. */
  readonly nodeUrls: readonly string[];
  readonly pids: ServerPids;
  /** Primary shards of every index that is measured. */
  readonly shards: number;
}

const DATABASE = 'realign_bench';

interface InstanceState {
  readonly processes: readonly { readonly kind: string; readonly pid: number }[];
  readonly postgres: { readonly url: string };
  readonly elasticsearch: { readonly url: string; readonly urls: readonly string[] };
}

/** Opens the running instance's state (scripts/services) and makes the database anew. */
export async function openBenchWorld(instance: string, shards: number): Promise<BenchWorld> {
  const file = join(import.meta.dirname, '..', '..', '..', '.services', 'instances', instance, 'state.json');
  const state = JSON.parse(readFileSync(file, 'utf8')) as InstanceState;
  const url = new URL(state.postgres.url);
  url.pathname = `/${DATABASE}`;
  const server = await connect(state.postgres.url);
  await dropLeftSlots(server, url.href);
  await server.query(`drop database if exists ${DATABASE} with (force)`);
  await server.query(`create database ${DATABASE}`);
  await server.end();
  const pidsOf = (kind: string): number[] => state.processes.filter((entry) => entry.kind === kind).map((entry) => entry.pid);
  return {
    shards,
    databaseUrl: url.href,
    elasticsearchUrl: state.elasticsearch.url,
    nodeUrls: state.elasticsearch.urls,
    pids: { postgres: pidsOf('postgres')[0] ?? 0, elasticsearch: pidsOf('elasticsearch') },
  };
}

/** Of a run that was killed: a database with slots cannot be dropped, and a slot only from inside its database. */
async function dropLeftSlots(server: pg.Client, url: string): Promise<void> {
  const { rowCount } = await server.query('select from pg_replication_slots where database = $1', [DATABASE]);
  if (rowCount === 0) return;
  const inside = await connect(url);
  const slots = 'from pg_replication_slots where database = current_database()';
  await inside.query(`select pg_terminate_backend(active_pid, 5000) ${slots} and active`);
  await inside.query(`select pg_drop_replication_slot(slot_name) ${slots} and not temporary`);
  await inside.end();
}
