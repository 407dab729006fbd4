import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Aftercare } from '../../../src/cli/aftercare.ts';
import { outletFlags } from '../../../src/cli/outlet-flags.ts';
import { sampleValue } from '../../support/metrics-check.ts';
import { waitFor } from '../../support/wait-for.ts';
import { indexResult, openWitness, PASSED, play, StillClock } from './sample-report.ts';

async function world(context: { after(clean: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'realign-after-'));
  const events: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      events.push(JSON.parse(body).event);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const clock = new StillClock();
  const witness = openWitness(clock);
  const warnings: string[] = [];
  const aftercare = new Aftercare({
    flags: outletFlags({ report: join(folder, 'report'), 'metrics-textfile': join(folder, 'm.prom') }),
    witness,
    command: 'rebuild',
    named: ['products'],
    output: { emit: (_, event) => void warnings.push(event.type), close: () => undefined },
    scrub: (text) => text,
    date: clock.date,
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const webhook = { url, on: new Set(['held', 'succeeded', 'failed'] as const), secret: null };
  aftercare.configure({ textfile: null, pushgateway: null, webhook, webhookSecret: null, beforeSwap: null });
  await aftercare.begin();
  const finish = (exitCode: number) => {
    const [index] = [indexResult('products', exitCode)];
    return aftercare.conclude({ result: index.result, exit_code: exitCode, indices: [index] });
  };
  return { folder, events, clock, witness, aftercare, warnings, finish };
}

test('a held build is told when it begins to wait, not when it ends', async (context) => {
  const { events, aftercare, finish, warnings } = await world(context);
  aftercare.observe('products', { type: 'phase.started', phase: 'hold' });
  await waitFor('the notice', () => events.length > 0);
  await finish(130);
  assert.deepEqual([events, warnings], [['held'], []]);
});

test('a follower has its report, its metrics and its one notice when the rebuild is done, while it goes on', async (context) => {
  const { folder, events, clock, witness, aftercare, finish, warnings } = await world(context);
  play({ witness, clock, index: 'products', verify: PASSED });
  aftercare.observe('products', { type: 'phase.started', phase: 'follow' });
  await waitFor('the notice', () => events.length > 0);
  await waitFor('the report', () => {
    try {
      return JSON.parse(readFileSync(join(folder, 'report', 'report.json'), 'utf8')).result === 'succeeded';
    } catch {
      return false;
    }
  });
  const success = sampleValue(readFileSync(join(folder, 'm.prom'), 'utf8'), 'realign_last_success_timestamp_seconds{alias="products"}');
  assert.ok((success ?? 0) > 0);
  await finish(0);
  assert.deepEqual([events, warnings], [['succeeded'], []]);
});

test('a command that failed before any index is told and measured for each that was named', async (context) => {
  const { folder, events, witness, aftercare, warnings } = await world(context);
  witness.observe(null, { type: 'error', kind: 'config', message: 'one mistake', hint: '', unchanged: '', next: [], exit_code: 64 });
  await aftercare.conclude({ result: 'failed', exit_code: 64, indices: [] });
  assert.deepEqual([events, warnings], [['failed'], []]);
  assert.equal(sampleValue(readFileSync(join(folder, 'm.prom'), 'utf8'), 'realign_last_run_exit_code{alias="products"}'), 64);
  assert.match(readFileSync(join(folder, 'report', 'junit.xml'), 'utf8'), /<error type="config" message="one mistake"/);
});
