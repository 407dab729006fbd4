import { z } from 'zod';
import type { OutputEvent } from './output-event.ts';
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
} from './schema-parts.ts';

/** The schema of the lines of `--output json`, as shipped in `schema/events.v1.json`. Readers must allow types and fields they do not know. */
const big = bigCount(true);
const parameters = z.record(z.string(), z.unknown());
const phase = z.enum(['preflight', 'slot', 'index', 'load', 'catchup', 'verify', 'hold', 'swap', 'cleanup', 'follow']);
const difference = z.enum(['missing', 'extra', 'different']);
const event = <const Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) => z.object({ type: z.literal(name), ...shape });

const progress = event('progress', {
  phase,
  rows: z.number(),
  rowsTotal: z.number().describe('What this run has to load: an estimate, or -1, until the load is done.'),
  share: z.number().min(0).max(1),
  rowsPerSecond: z.number().describe('Of the load; 0 in every other phase.'),
  etaSeconds: z.number().describe('-1 while unknown.'),
  changes: z.number(),
  changesPerSecond: z.number().describe('Since the phase began.'),
  lagBytes: big,
  slotWalBytes: big,
  slotWalLimitBytes: big,
  rejected: count,
  retries: count,
  throttle: text.describe('Why it does not go faster just now; empty if nothing holds it back.'),
});

const verifyResult = event('verify.result', {
  passed: z.boolean(),
  mode: z.enum(['full', 'sample', 'counts']),
  method,
  fenceLsn: text,
  rows: count,
  documents: count,
  rejected: count,
  partitions: count,
  partitionsEqual: count,
  partitionsDiffering: z.exactOptional(list(count)).describe('The numbers of the differing partitions.'),
  sampled,
  seed: text,
  differences: list(z.object({ id: text, kind: difference, fields: list(text) })).describe('The first 1,000 at most.'),
  differenceCount: count,
  unsettled: list(text),
  blindSpots: list(text),
});

const auditKind = z.enum(['missing', 'extra', 'different', 'stale']);

const auditDifference = z.object({
  id: text,
  kind: auditKind,
  fields: list(text),
  partition: count.describe('Its cell, 0 to partitions - 1; 0 if there are no partitions.'),
  version: text.nullable().describe('_version as decimal text; null for a missing document.'),
  foreign: z.boolean().nullable().describe('Last written by others, or by an earlier --repair; null where versions cannot show it.'),
  copies: count.describe('Documents with this id, on account of routing.'),
  values: z.exactOptional(list(fieldValues)).describe('Only with --show-values.'),
});

const auditResult = event('audit.result', {
  verdict,
  generation: text.describe('The concrete index.'),
  table: text,
  ours: z.boolean().describe('Made by realign from this server: its versions tell who wrote what.'),
  fedBy,
  mode: comparedMode,
  method,
  fenceLsn: text,
  rows: count,
  documents: count,
  rejected: count,
  partitions: count,
  partitionsEqual: count,
  partitionsDiffering: z.exactOptional(list(count)),
  partitionDrift: list(z.object({ partition: count, ...kindCounts })),
  sampled,
  sampledDocuments: count,
  sampleSize: count,
  seed: text,
  settle,
  differences: list(auditDifference).describe('The first 1,000 at most.'),
  differenceCount: count,
  kinds: z.object(kindCounts),
  unsettled: list(text).describe('The first 1,000 at most.'),
  unsettledCount: count,
  foreignWrites: count.nullable().describe('Documents last written by others, or by an earlier --repair, as far as versions show.'),
  mapping: list(mappingDifference),
  ignored: list(z.object({ field: text, documents: count, ids: list(text) })),
  covered: z.number().min(0).max(1),
  sectioned: z.boolean().describe('Compared section by section: rows and documents were counted at many moments.'),
  durations: z.object({ compareMs: z.number(), settleMs: z.number(), repairMs: z.number() }),
  repair: repair('id').nullable(),
  blindSpots: list(text),
  next: list(text).describe('Commands to type next.'),
  exit_code: count.describe('What the verdict comes to with --max-diff, and after the repair.'),
});

const status = event('status', {
  generations: list(
    z.object({ index: text, alias: text, build: text, phase: text, live: z.boolean(), startedAt: text, running: z.boolean(), orders: text }),
  ),
  slots: list(z.object({ name: text, build: text.nullable(), active: z.boolean(), retainedBytes: big, walStatus: text.nullable() })),
  orphans: list(text),
  copies: list(z.object({ index: text, alias: text, build: text })).describe(
    'Indices that others made of generations of realign; nothing is done to them.',
  ),
});

const indexResult = z.object({
  index: text,
  result,
  exit_code: count,
  build: text.nullable(),
  generation: text.nullable(),
  previous: text.nullable(),
});

const events = [
  event('version', { format: text, tool: text, command: text }),
  event('target', { side: z.enum(['postgres', 'elasticsearch']), address: text, user: text.nullable(), tls: text }),
  event('versions', { postgres: text, elasticsearch: text, node: text }),
  event('build.started', { table: text, resumed: z.boolean(), generation: text, slot: text }),
  event('phase.started', { phase }),
  event('phase.finished', { phase, durationMs: z.number(), detail: text }),
  progress,
  event('tuned', {
    bulkJobs: count.describe('Bulk requests of the load at a time.'),
    bulkBytes: count.describe('Bytes of one.'),
    bytesPerSecond: count,
    limit: z.enum(['sink', 'source']).describe('What the rate depends on with these figures.'),
  }),
  event('throttle', { reason: text, detail: text }),
  event('retry', { operation: text, errorType: text, attempt: count, delayMs: z.number() }),
  event('rejected', {
    id: text.describe('The _id, or of a key that makes none, what identifies it.'),
    column: z.exactOptional(text).describe('Absent where Elasticsearch refused the row: its reason names the field.'),
    reason: text,
  }),
  event('warning', { code: text, message: text, hint: text }),
  verifyResult,
  auditResult,
  event('drift', { id: text, kind: auditKind, fields: list(text) }),
  event('swap', { alias: text, from: text.nullable(), to: text }),
  event('finding', {
    level: z.enum(['ok', 'warn', 'fail']),
    side: z.enum(['postgres', 'elasticsearch']),
    code: text,
    message: text,
    fix: z.exactOptional(text),
    place: z.exactOptional(text).describe('FILE:LINE:COLUMN of what it is about, where a config file says it.'),
  }),
  event('plan', {
    table: text,
    generation: text,
    previous: text.nullable(),
    resumes: text.nullable(),
    rows: z.number(),
    bytes: z.number(),
    estimates: list(
      z.object({
        of: z.enum(['load', 'verification', 'disk']),
        amount: z.number().nullable(),
        unit: z.enum(['s', 'bytes']),
        bound: z.enum(['about', 'least']),
        basis: text,
      }),
    ),
    mapping: parameters,
    settings: parameters,
    documentFields: list(text),
    routing: text.nullable().describe('The column that routes the documents; null: their ids do.'),
    steps: list(text),
    warnings: list(text),
  }),
  status,
  event('removed', { names: list(text), kept: list(z.object({ index: text, reason: text })).describe('Looked at besides, and why it stays.') }),
  event('error', { kind: text, message: text, hint: text, unchanged: text, next: list(text), exit_code: count }),
  event('summary', { command: text, result, exit_code: count, durationMs: z.number(), message: text, indices: list(indexResult) }),
] as const;

const envelope = z.object({
  time,
  seq: count.min(0).describe('0, 1, 2 … without gaps in one run.'),
  index: text.nullable().describe('The alias concerned; null for the whole run.'),
  build: text.nullable().describe('The build id; null before there is one.'),
});

const bodySchema = z.discriminatedUnion('type', events);

/** Compiles only while every event that the program can emit has the form that the schema promises. */
export const promised: (emitted: OutputEvent) => z.input<typeof bodySchema> = (emitted) => emitted;

/** The JSON Schema of one line of `--output json`. */
export function eventsJsonSchema(): { readonly [key: string]: unknown } {
  const lines = z.union(events.map((body) => body.extend(envelope.shape)));
  const schema = z.toJSONSchema(lines, { target: 'draft-7', io: 'input' }) as { [key: string]: unknown };
  return { ...openObjects(schema), title: 'realign events, format 1.0' };
}

/** New fields may come in a later 1.x, so the published schema must not forbid them. */
function openObjects(schema: { [key: string]: unknown }): { [key: string]: unknown } {
  const open = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(open);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([key, inner]) => key !== 'additionalProperties' || inner !== false);
    return Object.fromEntries(entries.map(([key, inner]) => [key, open(inner)]));
  };
  return open(schema) as { [key: string]: unknown };
}
