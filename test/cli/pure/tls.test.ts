import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SslMode } from '../../../src/cli/config/schema.ts';
import { isLocalHost, resolveTls } from '../../../src/cli/tls.ts';

const TABLE: readonly (readonly [host: string, mode: SslMode | null, ca: string | null, outcome: string])[] = [
  ['localhost', null, null, 'plain'],
  ['127.0.0.1', null, null, 'plain'],
  ['::1', null, null, 'plain'],
  ['/var/run/postgresql', null, null, 'plain'],
  ['/var/run/postgresql', 'verify-full', 'CA', 'plain'],
  ['db.internal', null, null, 'verified, host checked'],
  ['10.0.0.5', null, null, 'verified, host checked'],
  ['db.internal', 'disable', null, 'plain'],
  ['db.internal', 'allow', null, 'refused'],
  ['db.internal', 'prefer', null, 'refused'],
  ['localhost', 'prefer', null, 'refused'],
  ['db.internal', 'require', null, 'not verified'],
  ['db.internal', 'require', 'CA', 'verified, any host'],
  ['db.internal', 'verify-ca', 'CA', 'verified, any host'],
  ['db.internal', 'verify-ca', null, 'refused'],
  ['db.internal', 'verify-full', 'CA', 'verified, host checked'],
  ['localhost', 'verify-full', null, 'verified, host checked'],
];

for (const [host, mode, ca, expected] of TABLE) {
  test(`sslmode ${mode ?? '(none)'} for ${host}${ca === null ? '' : ' with a CA'}: ${expected}`, () => {
    const decision = resolveTls({ host, mode, ca, cert: null, key: null });
    if (decision.kind !== 'tls') {
      assert.equal(decision.kind, expected);
      return;
    }
    const { rejectUnauthorized, checkServerIdentity } = decision.options;
    const verified = checkServerIdentity === undefined ? 'verified, host checked' : 'verified, any host';
    assert.equal(rejectUnauthorized ? verified : 'not verified', expected);
    assert.equal(decision.options.ca, ca ?? undefined);
  });
}

test('a client certificate needs its key', () => {
  assert.equal(resolveTls({ host: 'db', mode: 'verify-full', ca: null, cert: 'CERT', key: null }).kind, 'refused');
  const both = resolveTls({ host: 'db', mode: 'verify-full', ca: null, cert: 'CERT', key: 'KEY' });
  assert.deepEqual(both, { kind: 'tls', label: 'verify-full', options: { rejectUnauthorized: true, cert: 'CERT', key: 'KEY' } });
});

test('only the loopback and sockets are local', () => {
  for (const host of ['127.0.0.53', '[::1]', '/tmp']) assert.equal(isLocalHost(host), true, host);
  for (const host of ['127.0.0.1.example.com', '10.0.0.1', 'localhost.example.com']) assert.equal(isLocalHost(host), false, host);
});
