import { connect, databaseUrl, type FreshDatabase, uniqueName } from '../../support/servers.ts';

/** Defaults of a role that change how values are printed, what statements mean, and how long they may take. */
const ODD_SETTINGS: readonly (readonly [string, string])[] = [
  ['datestyle', 'SQL, DMY'],
  ['timezone', 'America/New_York'],
  ['intervalstyle', 'iso_8601'],
  ['extra_float_digits', '-15'],
  ['bytea_output', 'escape'],
  ['xmlbinary', 'hex'],
  ['quote_all_identifiers', 'on'],
  ['standard_conforming_strings', 'off'],
  ['escape_string_warning', 'off'],
  ['backslash_quote', 'off'],
  ['array_nulls', 'off'],
  ['transform_null_equals', 'on'],
  ['client_encoding', 'LATIN1'],
  ['search_path', 'nowhere'],
  ['default_transaction_isolation', 'serializable'],
  ['default_transaction_read_only', 'on'],
  ['default_transaction_deferrable', 'on'],
  ['statement_timeout', '1500ms'],
  ['lock_timeout', '1s'],
  ['idle_in_transaction_session_timeout', '500ms'],
  ['idle_session_timeout', '500ms'],
  ['row_security', 'on'],
  ['jit', 'off'],
  ['enable_indexscan', 'off'],
  ['synchronous_commit', 'off'],
  ['check_function_bodies', 'off'],
  ['default_text_search_config', 'german'],
  ['lc_messages', 'C'],
];

export interface OddRole {
  readonly name: string;
  /** The database, entered by this role. */
  readonly database: FreshDatabase;
  /** After the database is dropped. */
  drop(): Promise<void>;
}

/** A role that may run a build in `database` once it owns the table, with the settings above as its defaults. */
export async function oddRole(database: FreshDatabase): Promise<OddRole> {
  const name = uniqueName('odd_role');
  const { client } = database;
  await client.query(`create role ${name} login replication password 'odd'; grant create on database ${database.name} to ${name}`);
  for (const [setting, value] of ODD_SETTINGS) await client.query(`alter role ${name} set ${setting} = '${value}'`);
  const url = new URL(database.url);
  url.username = name;
  url.password = 'odd';
  return {
    name,
    database: { ...database, url: url.href },
    drop: async () => {
      const server = await connect(databaseUrl());
      await server.query(`drop role ${name}`);
      await server.end();
    },
  };
}
