// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what is tested here
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOptions } from '../../../src/cli/config/run-options.ts';
import { loadText } from './load-config.ts';

const MINIMAL = 'version: 1\nindices:\n  products: { table: public.products }\n';

test('the smallest config takes the rest from the environment', () => {
  const environment = { DATABASE_URL: 'postgres://app:pa%24s@localhost:5433/shop', ELASTICSEARCH_URL: 'http://localhost:9200/es/' };
  const { configuration, secrets } = loadText({ text: MINIMAL, environment });
  assert.deepEqual(configuration.postgres, {
    host: 'localhost',
    port: 5433,
    database: 'shop',
    user: 'app',
    password: 'pa$s',
    ssl: false,
    tlsLabel: 'off (local)',
  });
  assert.deepEqual(configuration.elasticsearch.nodes, ['http://localhost:9200/es']);
  assert.deepEqual(secrets, ['pa$s']);
  assert.deepEqual(configuration.indices.get('products')?.config, {
    alias: 'products',
    table: 'public.products',
    columns: { include: '*', exclude: [] },
    rename: {},
    where: null,
    computed: {},
    fields: {},
    id: null,
    mapping: null,
    settings: {},
    idHash: 'none',
    routing: null,
    onNonFinite: 'reject',
    onUnrepresentable: 'reject',
  });
});

test('PG variables fill what the file leaves out, DATABASE_URL goes before the file', () => {
  const text = `${MINIMAL}postgres: { host: db.internal, user: app, passwordFile: pw }\nelasticsearch: { url: "https://a:9200, https://u:p%40ss@b:9200" }\n`;
  const files = { pw: 'from-file\n' };
  const environment = { PGHOST: 'other', PGPORT: '6000', PGDATABASE: 'shop', PGPASSWORD: 'not-this', PGSSLMODE: 'require' };
  const { configuration } = loadText({ text, files, environment });
  const { host, port, database, user, password, tlsLabel } = configuration.postgres;
  assert.deepEqual([host, port, database, user, password, tlsLabel], ['db.internal', 6000, 'shop', 'app', 'from-file', 'require']);
  assert.deepEqual(configuration.elasticsearch.nodes, ['https://a:9200', 'https://b:9200']);
  assert.deepEqual(configuration.elasticsearch.auth, { username: 'u', password: 'p@ss' });
  const override = loadText({ text, files, environment: { DATABASE_URL: 'postgres://me:pw@127.0.0.1/x' } });
  assert.deepEqual(
    [override.configuration.postgres.host, override.configuration.postgres.user, override.configuration.postgres.password],
    ['127.0.0.1', 'me', 'pw'],
  );
});

test('a cloud id is the origin that its deployment has, with the port if there is one; ELASTICSEARCH_URL goes before it', () => {
  const nodes = (decoded: string, environment = {}) => {
    const text = `${MINIMAL}postgres: { url: "postgres://u@localhost/d" }\nelasticsearch: { cloudId: "my:shop:${Buffer.from(decoded).toString('base64')}" }\n`;
    return loadText({ text, environment }).configuration.elasticsearch.nodes;
  };
  assert.deepEqual(nodes('eu-west-1.example$es1$kb1'), ['https://es1.eu-west-1.example']);
  assert.deepEqual(nodes('eu.example:9243$es1$kb1'), ['https://es1.eu.example:9243']);
  assert.deepEqual(nodes('eu.example:443$es1:9244$'), ['https://es1.eu.example:9244']);
  assert.deepEqual(nodes('eu.example$es1$kb1', { ELASTICSEARCH_URL: 'http://localhost:9200' }), ['http://localhost:9200']);
});

test('secrets of files and of _FILE variables are registered for scrubbing, the API key also decoded', () => {
  const key = Buffer.from('the-id:the-secret').toString('base64');
  const text = `${MINIMAL}postgres: { url: "postgres://u:db-secret@localhost/d" }\nelasticsearch: { url: "https://es:9200", apiKeyFile: key }\n`;
  const { secrets, configuration } = loadText({ text, files: { key: `${key}\n` } });
  assert.deepEqual(secrets, ['db-secret', key, 'the-secret']);
  assert.deepEqual(configuration.elasticsearch.auth, { apiKey: key });
});

test('flags go before the file, the file before the defaults', () => {
  const text = `${MINIMAL.replace('products }', 'products, keep: 3, verify: { mode: sample }, hold: true, follow: true }')}defaults: { keep: 2, maxRejects: 5, verify: { sample: 7 }, limits: { slotWal: 1GiB, stall: 2m, replicaLag: 5s, query: select busy(), flagFile: stop } }
postgres: { url: "postgres://u@localhost/d" }\nelasticsearch: { url: "http://localhost:9200" }\n`;
  const run = loadText({ text }).configuration.indices.get('products')?.run;
  const { seed, throttles, ...options } = runOptions({ 'max-rejects': '9', rate: '100', 'hold-timeout': '2m', 'if-changed': true, force: true }, run);
  assert.deepEqual([throttles.replicaLagMs, throttles.query], [5000, 'select busy()']);
  assert.match(String(throttles.flagFile), /^\/.*\/stop$/);
  assert.equal(runOptions({}).maxSlotWalBytes, null);
  assert.match(seed, /^[0-9a-f]{8}$/);
  assert.deepEqual(options, {
    fresh: false,
    adopt: false,
    rate: 100,
    copyJobs: 2,
    bulkJobs: null,
    bulkBytes: null,
    chunkBlocks: null,
    verify: 'sample',
    sample: 7,
    maxRejects: 9,
    swapWhen: null,
    keep: 3,
    maxSlotWalBytes: 2n ** 30n,
    slotTimeoutMs: 60_000,
    stallTimeoutMs: 120_000,
    transactionBytes: 64 * 2 ** 20,
    hold: true,
    holdFile: null,
    holdTimeoutMs: 120_000,
    follow: true,
    keepFreshMs: null,
    ifChanged: false,
    runKey: null,
    ifLocked: 'fail',
  });
});

test('a flag with a bare number or nonsense is refused by name', () => {
  assert.throws(() => runOptions({ 'bulk-bytes': '5' }), /--bulk-bytes: expected a size with its unit.*not "5"/);
  assert.throws(() => runOptions({ 'slot-timeout': '60' }), /--slot-timeout: expected a duration/);
  assert.throws(() => runOptions({ 'copy-jobs': '0' }), /--copy-jobs: expected a whole number, at least 1/);
  assert.throws(() => runOptions({ rate: '-5' }), /--rate: expected a whole number/);
  assert.throws(() => runOptions({ 'max-slot-wal': '0MiB' }), /--max-slot-wal: expected more than zero, not "0MiB"/);
  assert.throws(() => runOptions({ 'copy-jobs': '0', 'hold-timeout': '5', 'bulk-bytes': '1' }), {
    message: [
      '3 mistakes on the command line:',
      '  --copy-jobs: expected a whole number, at least 1, not "0"',
      '  --bulk-bytes: expected a size with its unit, such as 5MiB or 20GiB, not "1"',
      '  --hold-timeout: expected a duration with its unit, such as 30s, 15m or 2h, not "5"',
    ].join('\n'),
  });
});

test('an unquoted reference becomes a number or truth value like one written there', () => {
  const text = `${MINIMAL}defaults:\n  keep: \${KEEP}\npostgres: { url: "postgres://u@localhost/d" }\nelasticsearch:\n  url: https://es:9200\n  tlsInsecure: \${INSECURE:-true}\n`;
  const { configuration } = loadText({ text, environment: { KEEP: '4' } });
  assert.equal(configuration.indices.get('products')?.run.keep, 4);
  assert.equal(configuration.elasticsearch.rejectUnauthorized, false);
});

test('a mapping file may be the bare mapping or what GET _mapping wraps around it', () => {
  const base = 'postgres: { url: "postgres://u@localhost/d" }\nelasticsearch: { url: "http://localhost:9200" }\n';
  const text = `version: 1\nindices:\n  a: { table: t, mapping: m.json, onNonFinite: null, columns: [x, y] }\n${base}`;
  const config = loadText({ text, files: { 'm.json': '{"mappings":{"properties":{"x":{"type":"long"}}}}' } }).configuration.indices.get('a')?.config;
  assert.deepEqual(config?.mapping, { properties: { x: { type: 'long' } } });
  assert.equal(config?.onNonFinite, 'null');
  assert.deepEqual(config?.columns, { include: ['x', 'y'], exclude: [] });
});

test('SQL of the config is kept apart from mapping parameters, and may stand beside a complete mapping', () => {
  const text = `version: 1
indices:
  a:
    table: t
    where: "deleted_at is null"
    id: tenant
    fields:
      place: { sql: "f(x)", type: geo_point }
      lower: { sql: lower(name) }
      price: { type: scaled_float, scaling_factor: 100 }
  b:
    table: t
    id: [tenant, no]
    mapping: { properties: { lower: { type: keyword } } }
    fields: { lower: { sql: lower(name) } }
`;
  const environment = { DATABASE_URL: 'postgres://app@localhost/shop', ELASTICSEARCH_URL: 'http://localhost:9200' };
  const { indices } = loadText({ text, environment }).configuration;
  const a = indices.get('a')?.config;
  assert.equal(a?.where, 'deleted_at is null');
  assert.deepEqual(a.computed, { place: 'f(x)', lower: 'lower(name)' });
  assert.deepEqual(a.fields, { place: { type: 'geo_point' }, price: { type: 'scaled_float', scaling_factor: 100 } });
  assert.deepEqual(a.id, ['tenant']);
  const b = indices.get('b')?.config;
  assert.deepEqual(b?.id, ['tenant', 'no']);
  assert.deepEqual(b.computed, { lower: 'lower(name)' });
  assert.deepEqual(b.fields, {});
});
