import type { OutputEvent } from '../../../src/cli/output/output-event.ts';
import type { VerifyReport } from '../../../src/core/events.ts';
import { AUDIT } from './sample-audit.ts';

export const REPORT: VerifyReport = {
  mode: 'full',
  method: 'fence',
  fenceLsn: '5A/61B0',
  rows: 12_404_551,
  documents: 12_404_551,
  rejected: 0,
  partitions: 1024,
  partitionsEqual: 1024,
  sampled: { random: 9_000, changed: 800, deleted: 200 },
  seed: 'cafe',
  differences: [],
  differenceCount: 0,
  unsettled: [],
  blindSpots: ['Only _source was compared.'],
};

export const FAILED_REPORT: VerifyReport = {
  ...REPORT,
  documents: 12_404_550,
  partitionsEqual: 1022,
  partitionsDiffering: [17, 801],
  differences: [
    { id: '88213', kind: 'different', fields: ['price'], values: [{ field: 'price', postgres: '12.90', elasticsearch: '12.899999' }] },
    { id: '90114', kind: 'missing', fields: [] },
    { id: '7', kind: 'extra', fields: [] },
  ],
  differenceCount: 3,
};

export const FIGURES = {
  rows: 8_804_112,
  rowsTotal: 12_400_000,
  share: 0.71,
  rowsPerSecond: 43_100,
  changesPerSecond: 250,
  etaSeconds: 84,
  changes: 18_220,
  lagBytes: '4096',
  slotWalBytes: '12582912',
  slotWalLimitBytes: '21474836480',
  rejected: 0,
  retries: 3,
  throttle: 'elasticsearch: 429',
};

/** A whole run that succeeds. */
export const RUN: readonly OutputEvent[] = [
  { type: 'phase.started', phase: 'preflight' },
  { type: 'warning', code: 'superuser', message: 'app is a superuser', hint: 'Use a role of its own.' },
  {
    type: 'build.started',
    table: 'public.products',
    resumed: false,
    generation: 'products-20261129t154012-k3f9',
    slot: 'realign_products_k3f9',
  },
  { type: 'phase.finished', phase: 'preflight', durationMs: 1200.4, detail: '' },
  { type: 'phase.started', phase: 'slot' },
  { type: 'phase.finished', phase: 'slot', durationMs: 40, detail: 'realign_products_k3f9 at 5A/3F21C0D8' },
  { type: 'phase.started', phase: 'load' },
  { type: 'progress', phase: 'load', ...FIGURES },
  { type: 'tuned', bulkJobs: 3, bulkBytes: 4 << 20, bytesPerSecond: 18_000_000, limit: 'sink' },
  { type: 'throttle', reason: 'elasticsearch', detail: '429' },
  { type: 'retry', operation: 'bulk', errorType: 'es_rejected_execution_exception', attempt: 1, delayMs: 250.5 },
  { type: 'rejected', id: '12', column: 'price', reason: 'NaN or Infinity' },
  { type: 'phase.finished', phase: 'load', durationMs: 290_000, detail: '' },
  { type: 'verify.result', passed: true, ...REPORT },
  { type: 'phase.finished', phase: 'verify', durationMs: 30_000, detail: '' },
  { type: 'swap', alias: 'products', from: 'products-1-h81c', to: 'products-2-k3f9' },
  { type: 'phase.finished', phase: 'swap', durationMs: 80, detail: '' },
];

/** The events that `RUN` has not. */
export const OTHERS: readonly OutputEvent[] = [
  { type: 'version', format: '1.0', tool: 'realign 0.1.0', command: 'rebuild' },
  { type: 'target', side: 'postgres', address: 'db:5432/shop', user: 'app', tls: 'verify-full' },
  { type: 'versions', postgres: '17.5', elasticsearch: '9.0.8', node: '20.20.0' },
  { type: 'finding', level: 'fail', side: 'postgres', code: 'wal-level', message: 'wal_level=replica', fix: 'alter system set wal_level = logical' },
  { type: 'finding', level: 'ok', side: 'elasticsearch', code: 'version', message: 'server 9.0.8' },
  {
    type: 'plan',
    table: 'public.products',
    generation: 'products-20261129t154012-xxxx',
    previous: null,
    resumes: null,
    rows: -1,
    bytes: 9_800_000_000,
    estimates: [
      { of: 'load', amount: 310, unit: 's', bound: 'about', basis: '12404551 rows, 40000 rows/s in build k3f9 of 2026-11-20' },
      { of: 'verification', amount: null, unit: 's', bound: 'about', basis: 'no build with --verify full was timed yet' },
    ],
    mapping: { dynamic: 'strict' },
    settings: {},
    documentFields: ['id'],
    routing: 'tenant_id',
    steps: ['create the slot'],
    warnings: ['one'],
  },
  {
    type: 'status',
    generations: [
      {
        index: 'products-1',
        alias: 'products',
        build: 'k3f9',
        phase: 'load',
        live: false,
        startedAt: '2026-11-29T15:40:12.000Z',
        running: true,
        orders: 'paused',
      },
    ],
    slots: [{ name: 'realign_products_k3f9', build: 'k3f9', active: true, retainedBytes: '12582912', walStatus: 'reserved' }],
    orphans: ['slot realign_x_abcd belongs to no index'],
    copies: [{ index: 'products-backup', alias: 'products', build: 'a3f9' }],
  },
  { type: 'removed', names: ['slot realign_products_k3f9'], kept: [{ index: 'products-2-k3f9', reason: 'readers are on it (products)' }] },
  { type: 'verify.result', passed: false, ...FAILED_REPORT },
  { type: 'drift', id: '7', kind: 'extra', fields: [] },
  // Values are in it only if somebody asked for them; `audit-text.test.ts` has them.
  { ...AUDIT, differences: AUDIT.differences.map(({ values: _, ...rest }) => rest) },
  {
    type: 'error',
    kind: 'verification-failed',
    message: '3 documents differ',
    hint: '',
    unchanged: 'Not swapped.',
    next: ['realign abort products'],
    exit_code: 22,
  },
  {
    type: 'summary',
    command: 'rebuild',
    result: 'failed',
    exit_code: 22,
    durationMs: 331_000,
    message: '',
    indices: [{ index: 'products', result: 'failed', exit_code: 22, build: 'k3f9', generation: 'products-2-k3f9', previous: null }],
  },
];
