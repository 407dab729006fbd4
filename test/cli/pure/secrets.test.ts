import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crashText } from '../../../src/cli/crash.ts';
import { SecretScrubber } from '../../../src/cli/secrets.ts';

test('a secret is removed in every form it takes', () => {
  const scrubber = new SecretScrubber();
  const secret = 'ca"na/ry %ü';
  scrubber.add(secret, ['app']);
  const forms = [secret, JSON.stringify({ secret }), encodeURIComponent(secret), encodeURI(secret), Buffer.from(`app:${secret}`).toString('base64')];
  for (const form of forms) {
    const clean = scrubber.scrub(`before ${form} after`);
    assert.match(clean, /^before .*\*\*\*.* after$/);
    assert.doesNotMatch(clean, /na.?ry|YXBw/);
  }
});

test('passwords in URLs go even if nobody registered them', () => {
  const { scrub } = new SecretScrubber();
  const clean = (text: string) => new SecretScrubber().scrub(text);
  assert.equal(typeof scrub, 'function');
  assert.equal(clean('postgres://app:hunter2@db:5432/shop is down'), 'postgres://app:***@db:5432/shop is down');
  assert.equal(clean('"https://u:p@ss@es:9200"'), '"https://u:***@es:9200"');
  assert.equal(clean('http://es:9200/_bulk'), 'http://es:9200/_bulk');
  assert.equal(clean('authorization: ApiKey a2V5OnNlY3JldA=='), 'authorization: ApiKey ***');
});

test('a secret inside a longer one does not cut it in half', () => {
  const scrubber = new SecretScrubber();
  scrubber.add('canary');
  scrubber.add('canary-long');
  assert.equal(scrubber.scrub('x canary-long y canary z'), 'x *** y *** z');
});

test('a password that is also the public user name stays readable, and very short ones too', () => {
  const scrubber = new SecretScrubber();
  scrubber.add('postgres', ['postgres']);
  scrubber.add('abc');
  assert.equal(scrubber.scrub('db as postgres abc'), 'db as postgres abc');
});

test('a crash shows class and frames, no message', () => {
  const text = crashText(new TypeError('canary in a message\nand its second line'));
  assert.match(text, /unexpected TypeError[\s\S]*at .*secrets\.test/);
  assert.doesNotMatch(text, /canary|second line/);
});
