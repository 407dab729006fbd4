// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what is tested here
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadText, mistakesIn } from './load-config.ts';

const WRONG = `version: 2
postgres:
  url: \${NO_SUCH}
  sslmod: require
  password: hunter2
elasticsearch:
  url: [http://es.example:9200]
defaults:
  keep: -1
  limits: { stall: 15, slotWal: 20 GB }
  verify: { mode: fulll }
indices:
  Products:
    tabel: public.products
  orders:
    table: public.or ders
    columns: { exclude: a }
    parent: x
  users:
    table: 12
    columns: 7
    onNonFinite: explode
  items:
    table: public.or ders
    rename: { a: x, b: x }
    fields: { price: { scaling_factor: 100 }, place: { sql: 7 } }
  bad*name:
    table: t
    mapping: ./nope.json
`;

test('every mistake is reported at once, with its line and column, the value seen and the nearest name', () => {
  assert.deepEqual(mistakesIn({ text: WRONG }), [
    '21 mistakes in the configuration:',
    'realign.yaml:1:10  version: expected 1, the version of this file format, not 2',
    'realign.yaml:3:8  the variable NO_SUCH is not set: set it, or write ${NO_SUCH:-default}',
    'realign.yaml:4:3  postgres.sslmod: unknown key; did you mean "sslmode"?',
    'realign.yaml:5:3  postgres.password: secrets are not written into this file; use passwordFile, or an environment variable',
    'realign.yaml:9:9  defaults.keep: expected a whole number, at least 0, not -1',
    'realign.yaml:10:20  defaults.limits.stall: expected a duration with its unit, such as 30s, 15m or 2h, not 15',
    'realign.yaml:10:33  defaults.limits.slotWal: expected a size with its unit, such as 5MiB or 20GiB, not 20 GB',
    'realign.yaml:11:19  defaults.verify.mode: expected full, sample or counts, not fulll',
    'realign.yaml:13:3  indices.Products.table: is missing',
    'realign.yaml:14:5  indices.Products.tabel: unknown key; did you mean "table"?',
    'realign.yaml:17:25  indices.orders.columns.exclude: expected a list, not a',
    'realign.yaml:18:5  indices.orders.parent: unknown key (known here: table, columns, rename, where, fields, mapping, settings, id, idHash, routing, onNonFinite, onUnrepresentable, keep, verify, hold, follow)',
    'realign.yaml:20:12  indices.users.table: expected text, not 12',
    'realign.yaml:21:14  indices.users.columns: expected a list or a map, not 7',
    'realign.yaml:22:18  indices.users.onNonFinite: expected reject, null or string, not explode',
    `realign.yaml:24:12  indices.items.table: expected schema.table, quoted as in SQL where needed ('"Odd Schema"."Table"'), not "public.or ders"`,
    'realign.yaml:25:24  indices.items.rename.b: the field name "x" is already given to a',
    'realign.yaml:26:15  indices.items.fields.price: needs a type: it replaces the inferred mapping of the field, e.g. {type: keyword}',
    'realign.yaml:26:47  indices.items.fields.place: sql: expected an SQL expression',
    'realign.yaml:27:3  indices.bad*name: none of \\ / * ? " < > | , # : and no space may be in an alias name',
    'realign.yaml:29:14  indices.bad*name.mapping: the file cannot be read: nope.json (ENOENT)',
  ]);
});

test('a mistake of form hides none of meaning: hooks, metrics and limits are judged beside it, zero limits all together', () => {
  const text = `version: 2
postgres: { url: "postgres://u@localhost/d" }
elasticsearch: { url: "http://localhost:9200" }
defaults:
  limits: { stall: 0s, slotWal: 0MiB, replicaLag: 0.0001ms, slotTimeout: 99999999999999d }
indices: { a: { table: t } }
hooks:
  beforeSwapTimeout: 5s
  webhook: { url: "http://hooks.example/x" }
metrics: { pushgateway: nowhere }
`;
  assert.deepEqual(mistakesIn({ text }), [
    '8 mistakes in the configuration:',
    'realign.yaml:1:10  version: expected 1, the version of this file format, not 2',
    'realign.yaml:5:20  defaults.limits.stall: expected more than zero, not 0s',
    'realign.yaml:5:33  defaults.limits.slotWal: expected more than zero, not 0MiB',
    'realign.yaml:5:51  defaults.limits.replicaLag: expected more than zero, not 0.0001ms',
    'realign.yaml:5:74  defaults.limits.slotTimeout: expected a duration with its unit, such as 30s, 15m or 2h, not 99999999999999d',
    'realign.yaml:8:22  hooks.beforeSwapTimeout: there is no beforeSwap',
    'realign.yaml:9:19  hooks.webhook.url: notices are sent by https only (by http to this machine)',
    'realign.yaml:10:25  metrics.pushgateway: expected a URL such as http://pushgateway.internal:9091',
  ]);
});

test('a key without a value is told as empty', () => {
  const [, ...mistakes] = mistakesIn({ text: 'version: 1\ndefaults:\nindices: { a: { table: t, columns: , settings: } }\n' });
  assert.match(mistakes.join('\n'), /defaults: expected a map, not empty/);
  assert.match(mistakes.join('\n'), /indices\.a\.settings: expected .*, not empty/);
  assert.doesNotMatch(mistakes.join('\n'), /not *$/m);
});

test('a value from the environment is never shown, only its reference', () => {
  const text = 'version: 1\npostgres: { port: "${PORT}" }\nindices: { a: { table: t } }\n';
  const mistakes = mistakesIn({ text, environment: { PORT: 'canary-value' } }).join('\n');
  assert.match(mistakes, /realign\.yaml:2:19 {2}postgres\.port: expected a whole number, at least 1, not "\$\{PORT\}"/);
  assert.doesNotMatch(mistakes, /canary/);
});

test('broken YAML and doubled keys name their place', () => {
  assert.match(mistakesIn({ text: 'version: 1\nindices: {a: {table: t}\n' }).join('\n'), /realign\.yaml:\d+:\d+ {2}/);
  assert.match(mistakesIn({ text: 'version: 1\nversion: 1\n' }).join('\n'), /realign\.yaml:2:1 {2}Map keys must be unique/);
});

test('a reference inside braces needs quotes, and the message says so', () => {
  const mistakes = mistakesIn({ text: 'version: 1\npostgres: { url: ${DATABASE_URL} }\n' });
  assert.equal(mistakes.length, 2);
  assert.match(mistakes[1] ?? '', /realign\.yaml:2:\d+ .*needs quotes/);
});

test('one connection, written in one way', () => {
  const both =
    'version: 1\npostgres: { url: "postgres://u@h/d", host: h }\nelasticsearch: { url: "http://localhost:9200", apiKeyFile: k, username: u }\nindices: { a: { table: t } }\n';
  const mistakes = mistakesIn({ text: both, files: { k: 'a2V5' } }).join('\n');
  assert.match(mistakes, /postgres\.url: is written beside host/);
  assert.match(mistakes, /elasticsearch\.apiKeyFile: is written beside username/);
});

test('a cloud id is one, and stands alone', () => {
  const text = (connection: string) =>
    `version: 1\npostgres: { url: "postgres://u@localhost/d" }\nelasticsearch: { ${connection} }\nindices: { a: { table: t } }\n`;
  const cloudId = `shop:${Buffer.from('eu.example$es1$kb1').toString('base64')}`;
  assert.match(mistakesIn({ text: text(`url: "https://es:9200", cloudId: "${cloudId}"`) }).join('\n'), /cloudId: is written beside url/);
  for (const wrong of ['shop', 'shop:', 'shop:bm9wZQ==', `shop:${Buffer.from('eu.example/x$es$kb').toString('base64')}`])
    assert.match(mistakesIn({ text: text(`cloudId: "${wrong}"`) }).join('\n'), /3:\d+ {2}elasticsearch\.cloudId: expected a cloud id/);
});

test('credentials do not travel over plain http to another host', () => {
  const text =
    'version: 1\npostgres: { url: "postgres://u@localhost/d" }\nelasticsearch: { url: "http://es.example:9200" }\nindices: { a: { table: t } }\n';
  const environment = { ELASTICSEARCH_API_KEY: 'a2V5OnNlY3JldA==' };
  assert.match(
    mistakesIn({ text, environment }).join('\n'),
    /realign\.yaml:3:23 {2}elasticsearch\.url: http:\/\/es\.example:9200 would carry the credentials/,
  );
  const insecure = text.replace('9200" }', '9200", tlsInsecure: true }');
  assert.equal(loadText({ text: insecure, environment }).configuration.elasticsearch.rejectUnauthorized, false);
});

test('an address that cannot be read is one mistake, with what was seen unless it may hold a secret', () => {
  const text = 'version: 1\npostgres: {}\nindices: { a: { table: t } }\n';
  const lines = (environment: { readonly [name: string]: string }) => mistakesIn({ text, environment }).slice(1);
  const good = { DATABASE_URL: 'postgres://u@localhost/d', ELASTICSEARCH_URL: 'http://localhost:9200' };
  assert.deepEqual(lines({ ...good, ELASTICSEARCH_URL: 'localhost:9200' }), [
    'environment: ELASTICSEARCH_URL: expected URLs such as https://es.internal:9200, not "localhost:9200"',
  ]);
  assert.deepEqual(lines({ ...good, ELASTICSEARCH_URL: 'u:hunter2@localhost' }), [
    'environment: ELASTICSEARCH_URL: expected URLs such as https://es.internal:9200',
  ]);
  assert.deepEqual(lines({ ...good, DATABASE_URL: 'localhost/shop' }), [
    'environment: DATABASE_URL: expected postgres://user@host:5432/database (one host; percent-encode special characters in the password)',
  ]);
});
