import { z } from 'zod';

/** What the two published schemas, of events and of `report.json`, have in common: a figure has the same form in both. */
export const text = z.string();
export const count = z.int();
export const time = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' });
export const list = <Element extends z.ZodType>(element: Element) => z.array(element).readonly();
/** A whole number as text; `signed` where it may be below zero. */
export const bigCount = (signed: boolean) =>
  z
    .string()
    .regex(signed ? /^-?\d+$/ : /^\d+$/)
    .describe('A whole number as text: it may pass 2^53.');

export const result = z.enum(['succeeded', 'failed', 'interrupted', 'has-work', 'drift', 'nothing-to-do', 'skipped']);
export const kindCounts = { missing: count, extra: count, different: count, stale: count };
export const fieldValues = z.object({ field: text, postgres: text, elasticsearch: text });
export const sampled = z.object({ random: count, changed: count, deleted: count });
export const mappingDifference = z.object({ field: text, expected: text, actual: text });
export const settle = z.object({ rounds: count, pauseMs: count });
export const verdict = z.enum(['equal', 'drift', 'unsettled', 'unfinished']);
export const fedBy = z.enum(['realign', 'others']);
export const method = z.enum(['fence', 'settling']);
/** `keys` is an audit's. */
export const comparedMode = z.enum(['full', 'sample', 'counts', 'keys']);
/** A repair; `name` is what its keys are called. */
export const repair = <const Name extends string>(name: Name) =>
  z.object({
    dryRun: z.boolean(),
    written: count,
    deleted: count,
    settled: count,
    proved: count,
    refused: list(z.object({ [name]: text, reason: text } as { [key in Name | 'reason']: typeof text })),
  });
