import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HumanOutput } from '../../../src/cli/output/human-output.ts';
import { changesText, LiveBlock, loadText, replayText } from '../../../src/cli/output/live-block.ts';
import type { OutputEvent } from '../../../src/cli/output/output-event.ts';
import { paintFor } from '../../../src/cli/output/paint.ts';
import { progressPairs } from '../../../src/cli/output/plain-lines.ts';
import { FAILED_REPORT, FIGURES, OTHERS, RUN } from './sample-events.ts';

/** Remembers whether something was shown, in place of the terminal's cursor moves. */
class StillBlock extends LiveBlock {
  override show(): void {}
}

interface Shown {
  readonly result: string;
  readonly narration: string;
}

function show(events: readonly OutputEvent[], { terminal = false, quiet = false, colour = false } = {}): Shown {
  let [result, narration] = ['', ''];
  const output = new HumanOutput({
    result: (text) => (result += text),
    narration: (text) => (narration += text),
    live: terminal ? new StillBlock(process.stderr) : null,
    paint: paintFor(colour),
    resultPaint: paintFor(colour),
    quiet,
    complete: (text) => text,
  });
  for (const event of events) {
    output.emit('products', event);
    if (event.type === 'progress') output.tick();
  }
  output.close();
  return { result, narration };
}

test('golden: a terminal without colour', () => {
  assert.deepEqual(show(RUN, { terminal: true }).narration.split('\n'), [
    ' ! warning          app is a superuser',
    '   fix: Use a role of its own.',
    'build k3f9   (another terminal: realign status products · pause: realign ctl products pause · Ctrl-C is safe)',
    ' ✓ preflight        1.2s',
    ' ✓ slot             realign_products_k3f9 at 5A/3F21C0D8   0.0s',
    '   bulk requests    3 at a time of 4 MiB: 17 MiB/s; no other that was tried is faster',
    ' ! rejected         products/12   column price: NaN or Infinity',
    ' ✓ load             8,804,112 rows   4m 50s',
    ' ✓ verify           rows 12,404,551 = docs 12,404,551 at 5A/61B0; 1,024 of 1,024 partition checksums equal; 10,000 sampled, 0 differ   30s',
    '   not seen: Only _source was compared.',
    ' ✓ swap             products: products-1-h81c → products-2-k3f9   0.1s',
    '',
  ]);
});

test('golden: not a terminal', () => {
  assert.deepEqual(show(RUN).narration.split('\n'), [
    'index=products event=phase.started phase=preflight',
    'index=products event=warning code=superuser message="app is a superuser" hint="Use a role of its own."',
    'index=products event=build.started table=public.products resumed=false generation=products-20261129t154012-k3f9 slot=realign_products_k3f9',
    'index=products event=phase.finished phase=preflight duration_ms=1200',
    'index=products event=phase.started phase=slot',
    'index=products event=phase.finished phase=slot duration_ms=40 detail="realign_products_k3f9 at 5A/3F21C0D8"',
    'index=products event=phase.started phase=load',
    'index=products phase=load rows=8804112 rows_total=12400000 share=0.71 rows_per_second=43100 eta_seconds=84 changes=18220 lag_bytes=4096 slot_wal_bytes=12582912 rejected=0 retries=3 throttle="elasticsearch: 429"',
    'index=products event=tuned bulk_jobs=3 bulk_bytes=4194304 bytes_per_second=18000000 limit=sink',
    'index=products event=throttle reason=elasticsearch detail=429',
    'index=products event=rejected id=12 column=price reason="NaN or Infinity"',
    'index=products event=phase.finished phase=load duration_ms=290000 rows=8804112',
    'index=products event=verify.result passed=true mode=full method=fence fence_lsn=5A/61B0 rows=12404551 documents=12404551 rejected=0 partitions=1024 partitions_equal=1024 seed=cafe difference_count=0',
    'index=products event=phase.finished phase=verify duration_ms=30000',
    'index=products event=swap alias=products from=products-1-h81c to=products-2-k3f9',
    'index=products event=phase.finished phase=swap duration_ms=80',
    '',
  ]);
});

test('golden: a failed verification names keys and fields; values only on a terminal', () => {
  const event: OutputEvent = { type: 'verify.result', passed: false, ...FAILED_REPORT };
  const lines = [
    ' ✗ verify           rows 12,404,551 ≠ docs 12,404,550 at 5A/61B0; 1,022 of 1,024 partition checksums equal; 10,000 sampled, 3 differ',
    '   products/88213   field price   postgres 12.90   elasticsearch 12.899999',
    '   products/90114   missing in elasticsearch',
    '   products/7   extra in elasticsearch',
    '',
  ];
  assert.deepEqual(show([event], { terminal: true }).narration.split('\n'), lines);
  assert.ok(!show([event]).narration.includes('12.899999'));
});

test('the result goes to stdout, failures to stderr, both also with --quiet', () => {
  const done: OutputEvent = {
    type: 'summary',
    command: 'rebuild',
    result: 'succeeded',
    exit_code: 0,
    durationMs: 1,
    message: 'products rebuilt in 5m 31s.',
    indices: [],
  };
  const quiet = show([...RUN, ...OTHERS.filter((event) => event.type === 'error'), done], { quiet: true });
  assert.equal(quiet.result, 'products rebuilt in 5m 31s.\n');
  assert.equal(quiet.narration, ' ✗ 3 documents differ\n Not swapped.\n Next: realign abort products\n');
});

test('many rejected rows are counted, not listed', () => {
  const reject: OutputEvent = { type: 'rejected', id: '1', column: 'c', reason: 'r' };
  const lines = show(Array.from({ length: 500 }, () => reject))
    .narration.trim()
    .split('\n');
  assert.equal(lines.length, 11);
  assert.match(lines[10] ?? '', /rejects file/);
});

test('colour adds nothing that the text does not say', () => {
  const plain = show([...RUN, ...OTHERS], { terminal: true });
  const coloured = show([...RUN, ...OTHERS], { terminal: true, colour: true });
  const colours = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
  assert.match(coloured.narration, colours);
  assert.equal(coloured.narration.replace(colours, ''), plain.narration);
  assert.equal(coloured.result.replace(colours, ''), plain.result);
});

test('the live block says what holds it back', () => {
  assert.equal(changesText(FIGURES), '250 changes/s');
  assert.deepEqual(progressPairs('catchup', FIGURES), {
    ...{ changes: 18_220, changes_per_second: 250, lag_bytes: '4096', slot_wal_bytes: '12582912', rejected: 0, retries: 3 },
    throttle: 'elasticsearch: 429',
  });
  assert.equal(loadText(FIGURES), '71%  8,804,112/~12,400,000  43,100 docs/s  ETA 1m 24s');
  assert.equal(
    replayText(FIGURES),
    'lag 4 KiB · 18,220 changes applied · slot WAL 12 MiB of 20 GiB · rejected 0 · retries 3 · waiting: elasticsearch: 429',
  );
});
