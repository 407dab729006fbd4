import { z } from 'zod';
import { ABOVE_ZERO, DURATION_EXPECTED, DURATION_PATTERN, parseDuration, parseSize, SIZE_EXPECTED, SIZE_PATTERN } from './quantity.ts';

/**
 * The config file. This is the only place that says which keys exist: the checks, the editor's JSON Schema (`realign schema`) and the
 * nearest-name hints all come from it.
 */
const text = z.string('expected text').min(1, 'expected text, not an empty value');
const path = text.describe('A path, relative to the config file.');
/** More than zero: a limit of nothing would stop or hold back every run. The pattern says so too, for editors that have only the JSON Schema. */
const quantity = (expected: string, pattern: RegExp, parse: (text: string) => number | null) =>
  z
    .string(expected)
    .refine((text) => parse(text) !== 0, ABOVE_ZERO)
    .refine((text) => parse(text) !== null, expected)
    .regex(new RegExp(`^(?=.*[1-9])${pattern.source.slice(1)}`), expected);
const duration = quantity(DURATION_EXPECTED, DURATION_PATTERN, parseDuration);
const size = quantity(SIZE_EXPECTED, SIZE_PATTERN, parseSize);
const whole = (minimum: number) => {
  const expected = `expected a whole number, at least ${minimum}`;
  return z.int(expected).min(minimum, expected);
};
const oneOf = <const Names extends readonly string[]>(names: Names) => z.enum(names, `expected ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}`);

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

const postgres = z.strictObject({
  url: text.optional().describe(`postgres://user@host:5432/database, usually \${DATABASE_URL}.`),
  host: text.optional().describe('Host name, address, or the directory of a Unix socket. Default: PGHOST.'),
  port: whole(1).max(65535, 'expected a port, at most 65535').optional().describe('Default: PGPORT, 5432.'),
  database: text.optional().describe('Default: PGDATABASE, the user name.'),
  user: text.optional().describe('Default: PGUSER.'),
  passwordFile: path.optional().describe('A file that holds the password. Default: PGPASSWORD, PGPASSWORD_FILE.'),
  sslmode: oneOf(SSL_MODES).optional().describe("libpq's meaning. Default: PGSSLMODE, else verify-full for hosts that are not local."),
  sslrootcert: path.optional().describe('CA certificates (PEM), or `system`. Default: PGSSLROOTCERT.'),
  sslcert: path.optional().describe('Client certificate (PEM). Default: PGSSLCERT.'),
  sslkey: path.optional().describe('Key of the client certificate (PEM). Default: PGSSLKEY.'),
});

const elasticsearch = z.strictObject({
  url: z
    .union([text, z.array(text).min(1, 'expected at least one URL')])
    .optional()
    .describe('One URL or a list. Default: ELASTICSEARCH_URL.'),
  cloudId: text.optional().describe('The cloud id of a deployment in Elastic Cloud, instead of url.'),
  apiKeyFile: path.optional().describe('A file that holds the encoded API key. Default: ELASTICSEARCH_API_KEY, ELASTICSEARCH_API_KEY_FILE.'),
  username: text.optional().describe('Default: ELASTICSEARCH_USERNAME.'),
  passwordFile: path.optional().describe('A file that holds the password. Default: ELASTICSEARCH_PASSWORD, ELASTICSEARCH_PASSWORD_FILE.'),
  caFile: path.optional().describe('CA certificates (PEM) of the cluster.'),
  caFingerprint: text.optional().describe('SHA-256 fingerprint of the CA certificate, in hex.'),
  tlsInsecure: z
    .boolean('expected true or false')
    .optional()
    .describe('true: no certificate check, and credentials over plain http to another host are allowed.'),
});

const keep = whole(0).describe('Older generations kept after a swap. Default: 1.');
const verify = z.strictObject({
  mode: oneOf(['full', 'sample', 'counts']).optional().describe('Default: full.'),
  sample: whole(0).optional().describe('Documents compared field by field. Default: 10000.'),
});

const defaults = z.strictObject({
  keep: keep.optional(),
  verify: verify.optional(),
  limits: z
    .strictObject({
      slotWal: size
        .optional()
        .describe('The build stops and drops its slot before it holds back more WAL than this. Default: max_slot_wal_keep_size, or 20GiB.'),
      stall: duration.optional().describe('Stop (resumable) when nothing moved for this long. Default: 15m.'),
      replicaLag: duration.optional().describe('The load waits while a physical standby is further behind than this.'),
      query: text.optional().describe('One read-only SQL statement: the load waits while its first column is true.'),
      flagFile: path.optional().describe('The load waits while this file exists.'),
      slotTimeout: duration.optional().describe('How long creating the slot may wait for older transactions. Default: 60s.'),
    })
    .optional(),
  maxRejects: whole(0).optional().describe('More rejected rows than this: no swap, exit 25. Default: 0.'),
});

const policy = z.enum(['reject', 'null', 'string'], 'expected reject, null or string').nullable();
const columns = z.union([
  z.array(text).min(1, 'expected at least one column'),
  z.strictObject({
    include: z.union([z.literal('*'), z.array(text).min(1, 'expected at least one column')]).optional(),
    exclude: z.array(text).optional(),
  }),
]);
const parameters = z.record(z.string(), z.unknown());

export const indexSchema = z.strictObject({
  table: text.describe('schema.table, quoted as in SQL where needed.'),
  columns: columns.optional().describe('A list of columns, or {include, exclude}. Default: all.'),
  rename: z.record(z.string(), text).optional().describe('Column name: field name.'),
  where: text.optional().describe('An SQL condition over the row: rows for which it is not true have no document.'),
  fields: z
    .record(z.string(), parameters)
    .optional()
    .describe('Field name: its mapping parameters, instead of the inferred ones; sql: an SQL expression over the row that the field is computed by.'),
  mapping: z.union([text, parameters]).optional().describe('A complete mapping, inline or the path of a JSON file, instead of the inferred one.'),
  settings: parameters.optional().describe('Index settings, e.g. number_of_shards.'),
  id: z
    .union([text, z.array(text).min(1, 'expected at least one column')])
    .optional()
    .describe('The column or columns that make the _id: those of a unique index. Default: the primary key.'),
  idHash: oneOf(['none', 'sha256']).optional().describe('sha256: ids over 512 bytes become a hash. Default: none (such rows are rejected).'),
  routing: text.optional().describe('The column of the id whose text routes the documents. Default: Elasticsearch routes them by their ids.'),
  onNonFinite: policy.optional().describe('NaN and infinite numbers. Default: reject.'),
  onUnrepresentable: policy.optional().describe('Dates that Elasticsearch cannot hold. Default: reject.'),
  keep: keep.optional(),
  verify: verify.optional(),
  hold: z.boolean('expected true or false').optional().describe('true: wait before the swap until somebody says `realign swap`. Default: false.'),
  follow: z.boolean('expected true or false').optional().describe('true: go on applying changes after the swap. Default: false.'),
});

const hooks = z.strictObject({
  beforeSwap: path
    .optional()
    .describe('A program that is run after the verification; a non-zero exit keeps the alias where it is. REALIGN_* in its environment.'),
  beforeSwapTimeout: duration.optional().describe('A hook that takes longer is ended and counts as a veto. Default: 5m.'),
  webhook: z
    .strictObject({
      url: text.describe('Notices go here by POST: https, or http on this machine.'),
      on: z
        .array(oneOf(['failed', 'held', 'drift', 'succeeded']))
        .optional()
        .describe('Default: failed, held, drift.'),
      secretFile: path
        .optional()
        .describe('A file that holds the key of the HMAC-SHA256 signature. Default: REALIGN_WEBHOOK_SECRET, REALIGN_WEBHOOK_SECRET_FILE.'),
    })
    .optional(),
});
const metrics = z.strictObject({
  textfile: path.optional().describe("A *.prom file for node_exporter's textfile collector."),
  pushgateway: text.optional().describe('URL of a Prometheus Pushgateway.'),
});

export const configSchema = z
  .strictObject({
    version: z.literal(1, 'expected 1, the version of this file format'),
    postgres: postgres.optional(),
    elasticsearch: elasticsearch.optional(),
    defaults: defaults.optional(),
    indices: z.record(z.string(), indexSchema).describe('One entry for each alias that readers use.'),
    hooks: hooks.optional(),
    metrics: metrics.optional(),
  })
  .describe('Configuration of realign');

export type ConfigFile = z.infer<typeof configSchema>;
export type IndexFile = z.infer<typeof indexSchema>;
export type PostgresFile = z.infer<typeof postgres>;
export type ElasticsearchFile = z.infer<typeof elasticsearch>;
export type HooksFile = z.infer<typeof hooks>;
export type MetricsFile = z.infer<typeof metrics>;
export type SslMode = (typeof SSL_MODES)[number];

/** The JSON Schema of the config file, as shipped in `schema/config.v1.json`. */
export function configJsonSchema(): { readonly [key: string]: unknown } {
  const schema = z.toJSONSchema(configSchema, { target: 'draft-7', io: 'input' }) as { [key: string]: unknown };
  return { ...schema, title: 'realign config, version 1' };
}

export function isSslMode(mode: string): mode is SslMode {
  return (SSL_MODES as readonly string[]).includes(mode);
}
