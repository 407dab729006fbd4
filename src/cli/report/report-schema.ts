import { z } from 'zod';
import {
  bigCount,
  comparedMode,
  count,
  fedBy,
  fieldValues,
  kindCounts,
  list,
  mappingDifference,
  method,
  repair,
  result,
  sampled,
  settle,
  text,
  time,
  verdict,
} from '../output/schema-parts.ts';

/** The form of `report.json`, as shipped in `schema/report.v1.json`. Everything else that is told of a run (pages, metrics, notices) is made from it. */
const big = bigCount(false);
const nullable = <Inner extends z.ZodType>(inner: Inner) => inner.nullable();

const phase = z.object({
  phase: text,
  startedMs: count.describe('Since the run of this index began.'),
  durationMs: nullable(count).describe('null: it did not end.'),
  detail: text,
});

const sample = z.object({
  atMs: count.describe('Since the run of this index began.'),
  phase: text,
  docsPerSecond: count.describe('Since the sample before.'),
  lagBytes: big,
  slotWalBytes: big,
  retries: count.describe('Since the sample before.'),
});

const difference = z.object({
  key: text.describe('The _id, or its hash with --hash-keys.'),
  kind: text.describe('missing, extra, different; readers must allow others.'),
  fields: list(text),
  values: list(fieldValues).describe('Empty unless --show-values.'),
  partition: nullable(count),
  foreign: nullable(z.boolean()).describe('The document was written by others, or by an earlier --repair; null where versions cannot show it.'),
  copies: count.describe('Documents with this id, on account of routing.'),
});

/** What an audit tells besides. */
const audit = z.object({
  verdict,
  ours: z.boolean().describe('A generation of realign: its versions tell who wrote what.'),
  fedBy,
  foreignWrites: nullable(count).describe('Documents last written by others, or by an earlier --repair, as far as versions show.'),
  covered: z.number().min(0).max(1).describe('Share of both sides that was looked at; 1 = complete.'),
  sectioned: z.boolean().describe('Compared section by section: rows and documents were counted at many moments.'),
  settle,
  next: list(text).describe('Commands to type next.'),
  mapping: list(mappingDifference),
  ignored: list(z.object({ field: text, documents: count })),
  repair: nullable(repair('key')),
});

const verification = z.object({
  passed: z.boolean(),
  mode: comparedMode,
  method,
  fenceLsn: text,
  rows: count,
  documents: count,
  rejected: count,
  partitions: count,
  partitionsEqual: count,
  partitionsDiffering: list(count),
  partitionDrift: list(z.object({ partition: count, ...kindCounts })).describe('Differences by partition: the heat map.'),
  sampled,
  seed: text.describe('Repeats the sample: --seed.'),
  differenceCount: count,
  differences: list(difference).describe('The first 1,000 at most.'),
  kinds: z.object(kindCounts).describe('Of the differences that are named, if not all are.'),
  unsettled: list(text),
  unsettledCount: count,
  blindSpots: list(text).describe('What this mode cannot see.'),
  audit: nullable(audit),
});

const rejects = z.object({
  count,
  groups: list(z.object({ column: z.exactOptional(text), reason: text, count })).describe('The largest first; 200 at most.'),
  named: list(z.object({ key: text, column: z.exactOptional(text), reason: text })).describe('The first 200 at most; the rejects file has all.'),
});

const failure = z.object({
  kind: text,
  message: text,
  hint: text,
  unchanged: text.describe('What has not changed.'),
  next: list(text).describe('Commands to type next.'),
  exitCode: count,
});

const totals = z.object({
  rows: count.describe('Loaded by this run.'),
  changes: count.describe('Replayed by this run.'),
  retries: count,
  peakLagBytes: big,
  peakSlotWalBytes: big,
  bulks: nullable(z.object({ jobs: count, bytes: count, bytesPerSecond: count, limit: z.enum(['sink', 'source']) })).describe(
    'How many bulk requests of what size the load found best; null: it was given, or ended before.',
  ),
});

const run = z.object({
  index: text.describe('The alias.'),
  build: nullable(text),
  table: nullable(text),
  generation: nullable(text),
  slot: nullable(text),
  resumed: z.boolean(),
  result,
  exitCode: count,
  startedAt: time,
  durationMs: count,
  swap: nullable(z.object({ from: nullable(text), to: text })),
  failure: nullable(failure),
  phases: list(phase),
  timeline: list(sample),
  totals,
  verification: nullable(verification),
  rejects,
  warnings: list(z.object({ code: text, message: text, hint: text })),
  versions: nullable(z.object({ postgres: text, elasticsearch: text, node: text })),
  again: text.describe('The command that does the same again.'),
});

export const reportSchema = z.object({
  format: z.literal('1.0'),
  tool: text,
  command: text,
  startedAt: time,
  durationMs: count,
  result,
  exitCode: count,
  keys: z.object({ hashed: z.boolean(), salt: text.describe('With --hash-keys a key is the first 16 hex digits of sha256("SALT:KEY").') }),
  failure: nullable(failure).describe('A failure of the whole run, before or beside its indices.'),
  runs: list(run),
});

export type Report = Readonly<z.infer<typeof reportSchema>>;
export type IndexReport = Readonly<Report['runs'][number]>;
export type ReportFailure = NonNullable<Report['failure']>;
export type Verification = NonNullable<IndexReport['verification']>;
export type ReportedDifference = Verification['differences'][number];
export type TimelineSample = IndexReport['timeline'][number];

/** The JSON Schema of `report.json`; fields may be added in a later 1.x, so it forbids none. */
export function reportJsonSchema(): { readonly [key: string]: unknown } {
  const schema = z.toJSONSchema(reportSchema, { target: 'draft-7', io: 'input' }) as { [key: string]: unknown };
  return { ...schema, title: 'realign report, format 1.0' };
}
