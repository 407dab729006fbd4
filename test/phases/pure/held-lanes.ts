import { DocumentEncoder } from '../../../src/core/encode/document.ts';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import { rowFromTexts } from '../../../src/core/row.ts';
import type { BulkBody } from '../../../src/core/sink/bulk-body.ts';
import type { BulkAnswer } from '../../../src/core/sink/operation.ts';
import { Watermark } from '../../../src/core/wal/watermark.ts';
import type { Run } from '../../../src/phases/build/run-state.ts';
import type { LaneChange } from '../../../src/phases/replay/lanes/lane-batch.ts';
import { Lanes } from '../../../src/phases/replay/lanes.ts';
import { bulkRun } from './bulk-fakes.ts';

const COLUMN = { attnum: 1, typeName: 'text', typeOid: 25, typmod: -1, notNull: true, generated: false, form: { kind: 'string' as const } };
/** Documents of a key of two columns; the second is their routing too. */
export const PLAN: DocumentPlan = {
  columns: ['id', 'r'].map((name) => ({ ...COLUMN, name })),
  fields: [{ column: 0, field: 'id' }],
  key: [0, 1],
  routing: 1,
  onNonFinite: 'reject',
  onUnrepresentable: 'reject',
  idHash: 'none',
};

/** Lanes whose bulks wait until they are let go; what was sent, and the commits. */
export interface HeldLanes {
  readonly lanes: Lanes;
  readonly calls: readonly string[];
  readonly open: () => void;
  readonly watermark: Watermark;
  readonly run: Run;
  /** Those that sleep, of which each ends when it is called. */
  readonly sleepers: readonly (() => void)[];
}

export interface HeldLanesOptions {
  readonly laneBytes?: number;
  /** While it is true, chunks are in flight. */
  readonly isLoading?: () => boolean;
  /** With two, ids that begin with an upper-case letter go into the second. */
  readonly count?: 1 | 2;
}

export function heldLanes({ laneBytes = 1 << 20, isLoading = () => false, count = 1 }: HeldLanesOptions = {}): HeldLanes {
  let open = (): void => {};
  const { run, calls } = bulkRun((body) => ({ kind: 'outcomes', outcomes: new Array(body.count).fill({ kind: 'done' }) }));
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  const bulk = (alias: string, body: BulkBody): Promise<BulkAnswer> => Promise.all([run.sink.bulk(alias, body), held]).then(([answer]) => answer);
  const bulkTuning = { ...run.bulkTuning, laneBytes } as Run['bulkTuning'];
  const sleepers: (() => void)[] = [];
  const clock = { ...run.clock, sleep: () => new Promise<void>((resolve) => sleepers.push(resolve)) };
  const laneOf = (id: string): number => (count === 2 && /^[A-Z]/.test(id) ? 1 : 0);
  const slow = { ...run, bulkTuning, clock, laneOf, sink: { ...run.sink, bulk } };
  const watermark = new Watermark(0n);
  const parts = { encoder: new DocumentEncoder(PLAN), count, isLoading, settled: () => {}, remember: () => {} };
  return { lanes: new Lanes({ run: slow, ...parts }), calls, open, watermark, run, sleepers };
}

/** `document: false` deletes it. */
export const change = (id: string, version: bigint, document = true): LaneChange => ({
  ...{ id: `${id}:r`, routing: Buffer.from('r'), version, rejection: null },
  row: document ? rowFromTexts([id, 'r']) : null,
});
/** The operations of a body, like `index a 1`. */
export const sentIn = (call: string | undefined): readonly string[] =>
  [...String(call).matchAll(/"(index|delete)":\{"_id":"(\w+):r","routing":"r","version":(\d+)/g)].map((match) => match.slice(1).join(' '));
