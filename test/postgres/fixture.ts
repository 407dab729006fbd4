import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { CopyTextReader } from '../../src/core/encode/copy-text.ts';
import { fieldText, type Row } from '../../src/core/row.ts';
import type { SourceTable } from '../../src/core/table.ts';
import type { ChunkReader, Source } from '../../src/phases/ports.ts';
import type { PostgresConfig } from '../../src/postgres/connect.ts';
import { openSource, type SourceOptions } from '../../src/postgres/source.ts';
import { assertNoLeaks } from '../support/leak-check.ts';
import { connect, type FreshDatabase, freshDatabase, uniqueName } from '../support/servers.ts';

export type OpenSource = Source & { close(): Promise<void> };

export interface Fixture {
  readonly database: FreshDatabase;
  /** A session of the application. */
  readonly app: pg.Client;
  readonly config: PostgresConfig;
  readonly source: OpenSource;
  /** Closes the source, checks that nothing was left, drops the database. */
  drop(): Promise<void>;
}

/** The connection as the command line would resolve it from a URL. */
export function configOf(url: string, as: { readonly user?: string; readonly password?: string } = {}): PostgresConfig {
  const parsed = new URL(url);
  return {
    host: parsed.hostname,
    port: Number(parsed.port),
    database: parsed.pathname.slice(1),
    user: as.user ?? decodeURIComponent(parsed.username),
    password: as.password ?? decodeURIComponent(parsed.password),
    ssl: false,
    applicationName: 'realign/test',
  };
}

/** A database of its own with a source on it. */
export async function openFixture(sql: string, options?: SourceOptions): Promise<Fixture> {
  const database = await freshDatabase();
  await database.client.query(sql);
  const config = configOf(database.url);
  const source = await openSource(config, options);
  const drop = async (): Promise<void> => {
    await source.close();
    try {
      await assertNoLeaks({ database, indices: [] });
    } finally {
      await database.drop();
    }
  };
  return { database, app: database.client, config, source, drop };
}

/** A login role without any right; `drop` removes what it owns in this database too. */
export async function createRole(
  app: pg.Client,
  attributes: string,
): Promise<{ readonly name: string; readonly password: string; drop(): Promise<void> }> {
  const name = uniqueName('realign_role');
  const password = randomBytes(8).toString('hex');
  await app.query(`create role ${name} login ${attributes} password '${password}'`);
  return { name, password, drop: async () => void (await app.query(`drop owned by ${name}; drop role ${name}`)) };
}

/** The table's description; fails if there is none. */
export async function describe(source: Source, name: string): Promise<SourceTable> {
  const table = await source.describeTable(name);
  if (table === null) throw new Error(`${name} is not there`);
  return table;
}

/** All rows of a chunk as texts. */
export async function readAll(reader: ChunkReader, columnCount: number): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  const parser = new CopyTextReader(columnCount);
  for await (const chunk of reader.chunks()) parser.push(chunk, (row) => rows.push(texts(row, columnCount)));
  parser.end();
  await reader.close();
  return rows;
}

export function texts(row: Row, columnCount: number): (string | null)[] {
  return Array.from({ length: columnCount }, (_, i) => fieldText(row, i));
}

/** Another session of the application, for transactions that stay open. */
export function openSession(fixture: Fixture): Promise<pg.Client> {
  return connect(fixture.database.url);
}
