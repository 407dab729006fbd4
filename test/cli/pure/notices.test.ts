import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { noticeUrlProblem, pushUrlProblem } from '../../../src/cli/config/resolve-outlets.ts';
import { pushMetrics } from '../../../src/cli/metrics/pushgateway.ts';
import { noticeOf, occasionOf } from '../../../src/cli/notices/notice.ts';
import { sendNotice } from '../../../src/cli/notices/webhook.ts';
import type { IndexReport } from '../../../src/cli/report/report-schema.ts';
import { assertGoodMetrics } from '../../support/metrics-check.ts';
import { failedReport, passedReport } from './sample-report.ts';

interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server on the loopback that remembers what it got; `answer` may leave a request without one. */
async function listen(context: { after(clean: () => void): void }, answer: (response: ServerResponse) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      received.push({ method: request.method, path: request.url, headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/B0/secretsecret`) };
}

/** RFC 2104 by the letter, so that a receiver in any language comes to the same. */
function hmacSha256(secret: string, text: string): string {
  const block = Buffer.alloc(64);
  const key = Buffer.from(secret);
  (key.length > 64 ? createHash('sha256').update(key).digest() : key).copy(block);
  const pad = (byte: number): Buffer => block.map((value) => value ^ byte) as Buffer;
  const inner = createHash('sha256').update(pad(0x36)).update(text).digest();
  return createHash('sha256').update(pad(0x5c)).update(inner).digest('hex');
}

const fine = (response: ServerResponse): void => void response.writeHead(200).end('ok');
const firstRun = (): IndexReport => failedReport().runs[0] as IndexReport;
const target = (url: URL, secret: string | null = null) => ({ url, on: new Set(['failed'] as const), secret });

test('a notice has a text for people, counts and the run for programs, and neither key nor value', async (context) => {
  const { received, url } = await listen(context, fine);
  await sendNotice(target(url), noticeOf(firstRun(), 'rebuild', 'failed'), 1_800_000_000);
  const body = JSON.parse(received[0]?.body ?? '');
  assert.deepEqual(Object.keys(body), ['text', 'event', 'command', 'index', 'run', 'result', 'exit_code', 'duration_ms', 'counts']);
  assert.match(body.text, /^✗ realign rebuild products \(build k3f9\): Not swapped: 37 documents differ, 12,404,551 rows, .*, exit 22$/);
  assert.deepEqual([body.event, body.run, body.exit_code, body.counts.differences], ['failed', 'k3f9', 22, 37]);
  for (const { key } of firstRun().verification?.differences ?? []) assert.ok(!received[0]?.body.includes(key));
  assert.equal(received[0]?.headers['realign-signature'], undefined);
  // https://api.slack.com/messaging/webhooks: a POST of JSON with a text.
  assert.deepEqual([received[0]?.method, received[0]?.path, received[0]?.headers['content-type']], ['POST', url.pathname, 'application/json']);
  assert.equal(received[0]?.headers['content-length'], String(Buffer.byteLength(received[0]?.body ?? '')));
});

test('with a secret it is signed together with its time', async (context) => {
  const { received, url } = await listen(context, fine);
  // RFC 4231, test case 2: the receiver itself is right.
  const expected = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  assert.equal(hmacSha256('Jefe', 'what do ya want for nothing?'), expected);
  for (const secret of ['key', 'ключ', 'k'.repeat(200)]) {
    received.length = 0;
    await sendNotice(target(url, secret), noticeOf({ ...firstRun(), index: 'größe' }, 'rebuild', 'failed'), 1_800_000_000.7);
    const { headers, body } = received[0] as Received;
    assert.equal(headers['realign-timestamp'], '1800000000');
    assert.equal(headers['realign-signature'], `v1=${hmacSha256(secret, `1800000000.${body}`)}`);
    assert.notEqual(headers['realign-signature'], `v1=${hmacSha256(secret, `1800000001.${body}`)}`);
  }
});

test('an alias cannot speak to the channel', () => {
  assert.match(noticeOf({ ...firstRun(), index: '<!channel>&' }, 'rebuild', 'failed').text, /&lt;!channel&gt;&amp;/);
});

test('a redirect is not followed, an error is told with the host only', async (context) => {
  const elsewhere = await listen(context, fine);
  const { url } = await listen(context, (response) => void response.writeHead(307, { location: elsewhere.url.href }).end());
  await assert.rejects(sendNotice(target(url), noticeOf(firstRun(), 'rebuild', 'failed'), 1), (error: Error) => {
    return /^127\.0\.0\.1:\d+ answered with a redirect \(307\)/.test(error.message);
  });
  assert.deepEqual(elsewhere.received, []);
  const broken = await listen(context, (response) => void response.writeHead(500).end());
  await assert.rejects(sendNotice(target(broken.url), noticeOf(firstRun(), 'rebuild', 'failed'), 1), /^Error: 127\.0\.0\.1:\d+ answered 500$/);
  await assert.rejects(
    sendNotice(target(new URL('http://127.0.0.1:1/secretsecretsecret')), noticeOf(firstRun(), 'rebuild', 'failed'), 1),
    (error: Error) => {
      return !error.message.includes('secret') && error.message.startsWith('127.0.0.1:1 could not be reached');
    },
  );
});

test('a server that never answers holds nothing up for long', async (context) => {
  const { url } = await listen(context, () => undefined);
  const startedMs = performance.now();
  await assert.rejects(sendNotice(target(url), noticeOf(firstRun(), 'rebuild', 'failed'), 1, 300), /did not answer within 0.3 s/);
  assert.ok(performance.now() - startedMs < 5_000);
});

test('what is told as what', () => {
  const run = firstRun();
  assert.equal(occasionOf(run, 'rebuild'), 'failed');
  assert.equal(occasionOf({ ...run, exitCode: 2, result: 'drift' }, 'audit'), 'drift');
  assert.equal(occasionOf({ ...run, exitCode: 0, result: 'succeeded' }, 'rebuild'), 'succeeded');
  assert.equal(occasionOf({ ...run, exitCode: 0, result: 'nothing-to-do' }, 'rebuild'), null);
  assert.equal(occasionOf({ ...run, exitCode: 143, result: 'interrupted' }, 'rebuild'), null);
});

test('pushgateway: a group for each alias, by POST, so that the last success stays; a password in the header, not in the path', async (context) => {
  const { received, url } = await listen(context, (response) => void response.writeHead(202).end());
  const gateway = new URL(url.origin);
  gateway.username = 'push';
  gateway.password = 'p%40ss';
  await pushMetrics(gateway, { ...passedReport(), runs: [firstRun(), { ...firstRun(), index: 'ä/b' }] }, 1000);
  assert.deepEqual(
    received.map(({ method, path, headers }) => [method, path, headers.authorization]),
    ['products', 'ä/b'].map((name) => [
      'POST',
      `/metrics/job/realign/alias@base64/${Buffer.from(name).toString('base64url')}`,
      `Basic ${Buffer.from('push:p@ss').toString('base64')}`,
    ]),
  );
  for (const { body } of received) {
    assertGoodMetrics(body);
    assert.doesNotMatch(body, /last_success/);
  }
  // https://github.com/prometheus/pushgateway#api: the text format; a label of the group overwrites one of a sample, so both say the same.
  for (const { path, headers, body } of received) {
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4');
    const grouped = Buffer.from(path?.split('/').at(-1) ?? '', 'base64url').toString();
    const labelled = new Set([...body.matchAll(/\{alias="([^"]*)"/g)].map(([, alias]) => alias));
    assert.deepEqual(labelled, new Set([grouped]));
    assert.doesNotMatch(body, /^[^#].*\} \S+ \d+$/m, 'the gateway refuses samples with a timestamp');
  }
});

test('urls: https, or this machine', () => {
  for (const url of ['https://hooks.example/x', 'http://127.0.0.1:8080/x', 'http://localhost/x', 'http://[::1]:1/'])
    assert.equal(noticeUrlProblem(url), null, url);
  for (const url of ['http://hooks.example/x', 'ftp://x/', 'hooks.example', 'http://localhost.evil.example/', 'file:///etc/passwd', '']) {
    assert.notEqual(noticeUrlProblem(url), null, url);
  }
  assert.equal(pushUrlProblem('http://pushgateway:9091'), null);
  assert.match(pushUrlProblem('http://me:secret@pushgateway:9091') ?? '', /https/);
});
