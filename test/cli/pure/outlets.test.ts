import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAftercare } from '../../../src/cli/open-aftercare.ts';
import { mergeOutlets, outletFlags } from '../../../src/cli/outlet-flags.ts';
import { SecretScrubber } from '../../../src/cli/secrets.ts';
import { loadText, mistakesIn } from './load-config.ts';

const BASE = `version: 1
postgres: { url: postgres://u@localhost/d }
elasticsearch: { url: "http://localhost:9200" }
indices: { products: { table: public.products } }
`;
const load = (text: string, environment: { readonly [name: string]: string } = {}, files: { readonly [name: string]: string } = {}) =>
  loadText({ text: `${BASE}${text}`, environment, files });

test('config: paths are relative to the file, secrets are known to the scrubber before anything is written', () => {
  const { configuration, secrets } = load(
    'hooks: { beforeSwap: ops/x.sh, webhook: { url: "${HOOK}", on: [succeeded], secretFile: key } }\nmetrics: { textfile: m.prom, pushgateway: "http://p:9091" }',
    { HOOK: 'https://hooks.example/services/T0/B0/canary' },
    { key: 'signing-canary\n' },
  );
  const { beforeSwap, webhook, textfile, pushgateway } = configuration.outlets;
  assert.match(beforeSwap?.script ?? '', /^\/.*\/ops\/x\.sh$/);
  assert.equal(beforeSwap?.timeoutMs, 300_000);
  assert.match(textfile ?? '', /^\/.*\/m\.prom$/);
  assert.equal(pushgateway?.host, 'p:9091');
  assert.deepEqual([[...(webhook?.on ?? [])], webhook?.secret], [['succeeded'], 'signing-canary']);
  for (const secret of ['https://hooks.example/services/T0/B0/canary', '/services/T0/B0/canary', 'signing-canary'])
    assert.ok(secrets.includes(secret), secret);
});

test('config: mistakes are named with their place', () => {
  assert.deepEqual(mistakesIn({ text: `${BASE}hooks: { webhook: { url: "http://hooks.example/x" }, beforeSwapTimeout: 5m }` }).slice(1), [
    'realign.yaml:5:26  hooks.webhook.url: notices are sent by https only (by http to this machine)',
    'realign.yaml:5:73  hooks.beforeSwapTimeout: there is no beforeSwap',
  ]);
  assert.match(mistakesIn({ text: `${BASE}hooks: { webhook: { url: "https://h/x", on: [faild] } }` }).join(), /hooks\.webhook\.on/);
  assert.match(mistakesIn({ text: `${BASE}metrics: { textfil: x }` }).join(), /did you mean "textfile"/);
});

test('flags go before the file, and each keeps what the other does not say', () => {
  const { outlets } = load('hooks: { webhook: { url: "https://a.example/file", on: [drift] } }\nmetrics: { textfile: m.prom }', {
    REALIGN_WEBHOOK_SECRET: 'k',
  }).configuration;
  const merged = mergeOutlets(outletFlags({ webhook: 'https://b.example/flag', pushgateway: 'http://p:1' }), outlets);
  assert.deepEqual([merged.webhook?.url.host, [...(merged.webhook?.on ?? [])], merged.webhook?.secret], ['b.example', ['drift'], 'k']);
  assert.match(merged.textfile ?? '', /m\.prom$/);
  assert.equal(merged.pushgateway?.host, 'p:1');
  const alone = mergeOutlets(outletFlags({ webhook: 'https://b.example/flag' }), null);
  assert.deepEqual([...(alone.webhook?.on ?? [])], ['failed', 'held', 'drift']);
});

test('flags that make no sense are refused before anything is contacted', () => {
  const refusals: readonly (readonly [Parameters<typeof outletFlags>[0], RegExp])[] = [
    [{ 'report-format': 'html' }, /--report-format needs --report/],
    [{ report: 'x', 'report-format': 'html,xlm' }, /not "xlm"/],
    [{ webhook: 'http://hooks.example/x' }, /--webhook: .*https/],
    [{ pushgateway: 'pushgateway:9091' }, /--pushgateway: expected a URL/],
  ];
  for (const [flags, message] of refusals) assert.throws(() => outletFlags(flags), message);
  assert.deepEqual(outletFlags({ report: 'x', 'report-format': 'md, junit,md' }).report?.formats, ['md', 'junit']);
});

test('only commands that do something by themselves are reported on; a webhook on the command line is a secret', async () => {
  const scrubber = new SecretScrubber();
  const output = { emit: () => undefined, close: () => undefined };
  const open = (command: 'status' | 'rebuild') =>
    openAftercare({ command, named: [], flags: { webhook: 'https://hooks.example/services/T0/B0/canary' }, output, scrubber, version: '0' });
  assert.equal(await open('status'), null);
  assert.notEqual(await open('rebuild'), null);
  assert.doesNotMatch(scrubber.scrub('POST /services/T0/B0/canary to https://hooks.example/services/T0/B0/canary'), /canary/);
});
