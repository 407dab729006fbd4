import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { reportJsonSchema } from '../../../src/cli/report/report-schema.ts';
import { Timeline } from '../../../src/cli/report/timeline.ts';
import { clearReport, REPORT_FORMATS, writeReport } from '../../../src/cli/report/write-report.ts';
import { FIGURES } from './sample-events.ts';
import { failedReport, indexResult, openWitness, PASSED, passedReport, play, StillClock, VETO } from './sample-report.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');
const shipped = JSON.parse(readFileSync(join(PROJECT, 'schema', 'report.v1.json'), 'utf8'));

test('the shipped schema is that of the program, and reports validate against it', () => {
  assert.deepEqual(shipped, reportJsonSchema());
  const validate = new Ajv({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } }).compile(shipped);
  for (const report of [passedReport(), failedReport(), failedReport({ mask: { showValues: 'full', hashKeys: true } }, 3000)]) {
    assert.ok(validate(JSON.parse(JSON.stringify(report))), JSON.stringify(validate.errors));
  }
  assert.ok(!validate({ ...passedReport(), runs: [{}] }));
});

test('a run is told with its build, phases, swap, versions and figures', () => {
  const [run] = passedReport().runs;
  assert.deepEqual([run?.build, run?.table, run?.generation, run?.exitCode], ['k3f9', 'public.products', 'products-20261129t154012-k3f9', 0]);
  assert.deepEqual(run?.swap, { from: 'products-20261112t090311-h81c', to: 'products-20261129t154012-k3f9' });
  assert.equal(run?.phases.length, 8);
  assert.deepEqual(run?.totals.bulks, { jobs: 5, bytes: 4 << 20, bytesPerSecond: 28_000_000, limit: 'sink' });
  assert.deepEqual(run?.versions, { postgres: '17.5', elasticsearch: '9.0.8', node: '20.20.0' });
  assert.ok((run?.timeline.length ?? 0) > 100 && (run?.timeline.length ?? 0) <= 480);
  assert.equal(
    run?.timeline.reduce((sum, { retries }) => sum + retries, 0),
    run?.totals.retries,
  );
});

test('several indices at once keep apart, and one that was never begun is told too', () => {
  const clock = new StillClock();
  const witness = openWitness(clock);
  play({ witness, clock, index: 'a', verify: PASSED });
  witness.observe('b', VETO);
  const { runs, failure } = witness.report({
    result: 'failed',
    exit_code: 22,
    indices: [indexResult('a', 0), indexResult('b', 22), indexResult('c', 130)],
  });
  assert.deepEqual(
    runs.map(({ index, failure: own, phases }) => [index, own?.kind ?? null, phases.length]),
    [
      ['a', null, 8],
      ['b', 'verification-failed', 0],
      ['c', null, 0],
    ],
  );
  assert.equal(failure, null);
});

test('rejects: counted by column and reason, named to a limit, corrected by the verification', () => {
  const clock = new StillClock();
  const witness = openWitness(clock);
  for (let at = 0; at < 500; at++) witness.observe('a', { type: 'rejected', id: String(at), column: at % 2 === 0 ? 'x' : 'y', reason: 'NaN' });
  const before = witness.report({ result: 'failed', exit_code: 25, indices: [indexResult('a', 25)] }).runs[0]?.rejects;
  assert.deepEqual(
    [before?.count, before?.named.length, before?.groups],
    [
      500,
      200,
      [
        { column: 'x', reason: 'NaN', count: 250 },
        { column: 'y', reason: 'NaN', count: 250 },
      ],
    ],
  );
  witness.observe('a', { type: 'verify.result', ...PASSED, rejected: 498 });
  assert.equal(witness.report({ result: 'succeeded', exit_code: 0, indices: [indexResult('a', 0)] }).runs[0]?.rejects.count, 498);
});

test('a timeline of any length has few points and loses no peak', () => {
  const timeline = new Timeline();
  for (let at = 0; at < 100_000; at++) {
    timeline.add(at * 500, 'load', { ...FIGURES, rows: at * 10, retries: at >= 60_000 ? 3 : 0, lagBytes: at === 77_777 ? '9007199254740993' : '1' });
  }
  const samples = timeline.samples();
  assert.ok(samples.length <= 481, String(samples.length));
  assert.equal(timeline.peakLagBytes, 9007199254740993n);
  assert.ok(samples.some(({ lagBytes }) => lagBytes === '9007199254740993'));
  assert.equal(
    samples.reduce((sum, { retries }) => sum + retries, 0),
    3,
  );
  assert.ok(samples.slice(1).every(({ docsPerSecond }) => docsPerSecond === 20));
});

const directory = (context: { after(clean: () => void): void }): string => {
  const path = mkdtempSync(join(tmpdir(), 'realign-report-'));
  context.after(() => rmSync(path, { recursive: true }));
  return path;
};

test('files: four fixed names, secrets scrubbed, nothing half, an old report removed first', async (context) => {
  const path = join(directory(context), 'deep', 'er');
  const request = { directory: path, formats: REPORT_FORMATS, scrub: (text: string) => text.replaceAll('k3f9', '***') };
  await clearReport(request);
  await writeReport(passedReport(), request);
  assert.deepEqual(readdirSync(path).sort(), ['index.html', 'junit.xml', 'report.json', 'summary.md']);
  for (const name of readdirSync(path)) assert.doesNotMatch(readFileSync(join(path, name), 'utf8'), /k3f9/);
  await clearReport(request);
  assert.deepEqual(readdirSync(path), []);
});

test("files: somebody else's index.html is left alone, and the other files are written", async (context) => {
  const path = directory(context);
  writeFileSync(join(path, 'index.html'), '<h1>my home</h1>');
  const request = { directory: path, formats: REPORT_FORMATS, scrub: (text: string) => text };
  await assert.rejects(writeReport(passedReport(), request), /is not a report/);
  assert.equal(readFileSync(join(path, 'index.html'), 'utf8'), '<h1>my home</h1>');
  assert.ok(readdirSync(path).includes('report.json'));
});

test('files: a directory that cannot be made is an error for the caller', async (context) => {
  const path = directory(context);
  writeFileSync(join(path, 'file'), '');
  await assert.rejects(clearReport({ directory: join(path, 'file', 'x'), formats: REPORT_FORMATS, scrub: (text) => text }), { code: 'ENOTDIR' });
  mkdirSync(join(path, 'summary.md'));
  await assert.rejects(writeReport(passedReport(), { directory: path, formats: ['md'], scrub: (text) => text }), { code: 'EISDIR' });
});
