import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { configJsonSchema } from '../../../src/cli/config/schema.ts';
import { eventsJsonSchema } from '../../../src/cli/output/event-schema.ts';
import { JsonOutput } from '../../../src/cli/output/json-output.ts';
import type { OutputEvent } from '../../../src/cli/output/output-event.ts';
import { OTHERS, RUN } from './sample-events.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');
const shipped = (name: string): unknown => JSON.parse(readFileSync(join(PROJECT, 'schema', name), 'utf8'));
const validator = () =>
  new Ajv({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ } }).compile(shipped('events.v1.json') as object);

function linesOf(events: readonly OutputEvent[]): readonly { readonly [key: string]: unknown }[] {
  const lines: { [key: string]: unknown }[] = [];
  const output = new JsonOutput(
    (line) => lines.push(JSON.parse(line)),
    () => new Date(0),
  );
  for (const event of events) output.emit('products', event);
  return lines;
}

test('the shipped schemas are those of the program: npm run schema:write', () => {
  assert.deepEqual(shipped('config.v1.json'), configJsonSchema());
  assert.deepEqual(shipped('events.v1.json'), eventsJsonSchema());
});

test('every event validates against the shipped schema', () => {
  const validate = validator();
  const lines = linesOf([...RUN, ...OTHERS]);
  for (const line of lines) assert.ok(validate(line), `${line.type}: ${JSON.stringify(validate.errors)}`);
  const types = (eventsJsonSchema().anyOf as readonly { readonly properties: { readonly type: { readonly const: string } } }[]).map(
    (one) => one.properties.type.const,
  );
  assert.deepEqual([...new Set(lines.map((line) => line.type))].sort(), types.sort(), 'each type has a sample');
});

test('the schema refuses a broken event and allows fields of later versions', () => {
  const validate = validator();
  const [line] = linesOf([{ type: 'phase.started', phase: 'load' }]);
  assert.ok(validate({ ...line, later: 1 }));
  assert.ok(!validate({ ...line, phase: 'lode' }));
  assert.ok(!validate({ ...line, seq: undefined, time: 'now' }));
});

test('lines are numbered, carry the build once it is known, and never a value of a row', () => {
  const lines = linesOf([...RUN, ...OTHERS]);
  assert.deepEqual(
    lines.map((line) => line.seq),
    lines.map((_, at) => at),
  );
  assert.deepEqual([lines[0]?.build, lines[3]?.build], [null, 'k3f9']);
  assert.ok(!JSON.stringify(lines).includes('12.899999'));
  assert.equal(lines[3]?.durationMs, 1200);
});

test('the config schema takes the documented config', () => {
  const validate = new Ajv({ strict: false }).compile(shipped('config.v1.json') as object);
  const config = {
    version: 1,
    postgres: { url: 'postgres://h/d', sslmode: 'verify-full' },
    elasticsearch: { url: ['https://a:9200'], apiKeyFile: '/run/key' },
    defaults: { keep: 1, limits: { slotWal: '20GiB', stall: '15m' } },
    indices: {
      products: { table: 'public.products', columns: { include: '*', exclude: ['x'] }, fields: { price: { type: 'double' } }, onNonFinite: null },
    },
  };
  assert.ok(validate(config), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...config, defaults: { limits: { stall: 15 } } }));
});
