import { randomBytes } from 'node:crypto';
import pg from 'pg';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: scripts/services up && eval "$(scripts/services env)"`);
  return value;
}

export const databaseUrl = (): string => required('DATABASE_URL');
export const elasticsearchUrl = (): string => required('ELASTICSEARCH_URL').replace(/\/$/, '');

/** A name of its own for everything a test makes: others use the same servers at the same time. Lower-case letters and digits. */
export const uniqueName = (prefix: string): string => `${prefix}_${randomBytes(5).toString('hex')}`;

/** A connected client; the listener keeps a connection that dies between two queries from ending the test process. */
export async function connect(url: string = databaseUrl()): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'realign-test' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export interface FreshDatabase {
  readonly name: string;
  readonly url: string;
  /** An open session in it; ends with `drop`. */
  readonly client: pg.Client;
  /** Drops the database with the slots in it, whoever is connected. */
  drop(): Promise<void>;
}

function urlOf(name: string): string {
  const url = new URL(databaseUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer<T>(action: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}

/** A database with slots cannot be dropped; a logical slot is dropped from inside its own database. */
async function dropSlots(client: pg.Client): Promise<void> {
  const inside = 'from pg_replication_slots where database = current_database()';
  await client.query(`select pg_terminate_backend(active_pid, 5000) ${inside} and active`);
  await client.query(`select pg_drop_replication_slot(slot_name) ${inside} and not temporary`);
}

/** A new empty database with a random name. `await database.drop()` in an `after` hook. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const name = uniqueName('realign_test');
  await onServer((server) => server.query(`create database ${name}`));
  const url = urlOf(name);
  const client = await connect(url);
  const drop = async (): Promise<void> => {
    await dropSlots(client);
    await client.end();
    await onServer((server) => server.query(`drop database ${name} with (force)`));
  };
  return { name, url, client, drop };
}

export interface ElasticsearchAnswer {
  readonly status: number;
  /** The body exactly as it came. */
  readonly text: string;
  /** Parsed with `JSON.parse`: not for documents, whose numbers it rounds. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely in tests, a wrong path fails the assertion
  readonly json: any;
}

/** One plain HTTP call; a string or Buffer body is sent as NDJSON, anything else as JSON. Never throws for an HTTP status. */
export async function elasticsearch(method: string, path: string, body?: unknown): Promise<ElasticsearchAnswer> {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  const answer = await fetch(`${elasticsearchUrl()}${path}`, {
    method,
    ...(body === undefined ? {} : { body: raw ? body : JSON.stringify(body) }),
    headers: { 'content-type': raw ? 'application/x-ndjson' : 'application/json' },
  });
  const text = await answer.text();
  return { status: answer.status, text, json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null };
}

/** Names of the indices that match a pattern, hidden ones too. */
export async function indicesLike(pattern: string): Promise<readonly string[]> {
  const { json } = await elasticsearch('GET', `/_cat/indices/${pattern}?format=json&h=index&expand_wildcards=all`);
  return Array.isArray(json) ? json.map((row: { readonly index: string }) => row.index).sort() : [];
}

/** Deletes the indices that match a pattern: for clean-up, by names of the test's own only. */
export async function deleteIndicesLike(pattern: string): Promise<void> {
  for (const index of await indicesLike(pattern)) await elasticsearch('DELETE', `/${encodeURIComponent(index)}`);
}
