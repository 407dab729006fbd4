import { quoteLiteral } from './quote.ts';

/**
 * Settings every session gets, the walsender too: the text forms of values depend on them, and COPY and the stream must print the same bytes
 * (docs/servers.md P20). Set by SQL after connecting, because `options` of a URL and role settings would win over startup options.
 */
const PINS: Readonly<Record<string, string>> = {
  standard_conforming_strings: 'on',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: '3',
  bytea_output: 'hex',
  lc_monetary: 'C',
  xmlbinary: 'base64',
  // Printing regclass and its like; reading the texts of array keys in a lookup.
  quote_all_identifiers: 'off',
  array_nulls: 'on',
  search_path: 'pg_catalog',
  // Off turns a silent filter of rows into an error (docs/servers.md P19).
  row_security: 'off',
  // A role default of SERIALIZABLE or READ ONLY would change what BEGIN and CREATE PUBLICATION mean here.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  // The planner takes the reference of an array for so costly that it compiles the statement first, 0.8 s each time (docs/servers.md P38).
  jit: 'off',
  // Each of these kills an exporter, a keeper, a long COPY or an idle walsender (docs/servers.md P4).
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
};

/**
 * One statement that pins what this server version knows (`transaction_timeout` exists from 17 on) and answers `pid`, `version`, `pinned`.
 * Works on replication connections, which take simple queries only.
 */
export function pinStatement(): string {
  const rows = Object.entries(PINS).map(([name, value]) => `(${quoteLiteral(name)}, ${quoteLiteral(value)})`);
  return `select pg_catalog.pg_backend_pid()::text as pid, pg_catalog.current_setting('server_version_num') as version,
      pg_catalog.count(pg_catalog.set_config(s.name, p.value, false))::text as pinned
    from (values ${rows.join(', ')}) as p(name, value)
    join pg_catalog.pg_settings s on pg_catalog.lower(s.name) = p.name`;
}
