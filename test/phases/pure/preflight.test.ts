import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { Finding } from '../../../src/core/finding.ts';
import type { IndexConfig, RunOptions } from '../../../src/core/plan/index-config.ts';
import type { Column, SourceTable } from '../../../src/core/table.ts';
import type { Source } from '../../../src/phases/ports.ts';
import { type PreflightReport, requireNoFailure, runPreflight } from '../../../src/phases/preflight.ts';
import type { Sink, SinkPreflightRequest } from '../../../src/phases/sink-ports.ts';

const column = (name: string, typeName: string, form: ValueForm): Column => {
  return { name, attnum: 1, typeName, typeOid: 0, typmod: -1, notNull: false, generated: false, form };
};

const TABLE = {
  schema: 'public',
  name: 'things',
  columns: [column('id', 'bigint', { kind: 'number' }), column('name', 'text', { kind: 'string' })],
  key: ['id'],
} as unknown as SourceTable;

const CONFIG: IndexConfig = {
  alias: 'things',
  table: 'public.things',
  columns: { include: '*', exclude: ['nmae'] },
  rename: {},
  where: 'nme = 1',
  computed: { total: 'sum(id)', upper: 'upper(name)' },
  id: null,
  fields: { upper: { type: 'date_range' }, titel: { type: 'keyword' } },
  mapping: null,
  settings: {},
  idHash: 'none',
  routing: null,
  onNonFinite: 'reject',
  onUnrepresentable: 'reject',
};

const refused = (...path: readonly string[]): Finding => {
  return { level: 'fail', side: 'postgres', code: 'expression', message: `${path.join('.')}: refused`, fix: 'Correct it.', path };
};

interface Looked {
  readonly report: PreflightReport;
  /** The fields whose expressions the server was asked to type. */
  readonly typed: readonly string[];
  readonly asked: SinkPreflightRequest | null;
}

async function look(config: IndexConfig, findings: readonly Finding[], table = TABLE): Promise<Looked> {
  let asked: SinkPreflightRequest | null = null;
  const typed: string[] = [];
  const source = {
    preflight: async () => findings,
    describeTable: async () => table,
    describeComputed: async (_: SourceTable, { computed }: IndexConfig) => {
      typed.push(...Object.keys(computed));
      return Object.entries(computed).map(([name, sql]) => ({ ...column(name, 'text', { kind: 'string' }), sql }));
    },
  } as unknown as Source;
  const sink = {
    readAlias: async () => ({ kind: 'none' }),
    preflight: async (request: SinkPreflightRequest) => {
      asked = request;
      return [];
    },
  } as unknown as Sink;
  const options = { adopt: false, swapWhen: null, throttles: { query: null } } as unknown as RunOptions;
  return { report: await runPreflight({ source, sink, config, options }), typed, asked };
}

function refusalOf(report: PreflightReport): Failure {
  try {
    requireNoFailure(report);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('refused SQL hides no mistake about columns and no mapping that cannot be', async () => {
  const { report, typed, asked } = await look(CONFIG, [refused('where'), refused('fields', 'total', 'sql')]);
  assert.deepEqual(
    report.mistakes?.mistakes.map(({ text }) => text),
    ['columns.exclude: the table has no column "nmae"; did you mean "name"?', 'fields: the document has no field "titel"'],
  );
  assert.deepEqual(typed, ['upper'], 'only what the server accepted is typed');
  const conflict = report.findings.find(({ code }) => code === 'mapping-conflict');
  assert.deepEqual([conflict?.path, report.plan], [['fields', 'upper'], null]);
  assert.ok(asked?.mapping !== undefined, 'Elasticsearch is asked about the mapping all the same');
  const failure = refusalOf(report);
  assert.equal(failure.kind, 'config');
  for (const part of ['where: refused', 'fields.total.sql: refused', 'field "upper" is mapped as date_range']) {
    assert.ok(failure.hint?.includes(part), failure.hint);
  }
});

test('of a field with refused SQL only the name is judged', async () => {
  const config = { ...CONFIG, where: null, columns: { include: '*', exclude: [] }, fields: { total: { type: 'long' } } } as const;
  const { report } = await look(config, [refused('fields', 'total', 'sql')]);
  assert.deepEqual([report.mistakes, report.plan, report.findings.filter(({ code }) => code !== 'expression')], [null, null, []]);
  assert.equal(refusalOf(report).kind, 'preflight-refused');
});

test('a table without a key, and documents without a place, hide no mistake either', async () => {
  const config = { ...CONFIG, where: null, computed: {}, fields: {} };
  const keyless = await look(config, [], { ...TABLE, key: [] });
  assert.match(keyless.report.mistakes?.message ?? '', /no column "nmae"/);
  const misrouted = await look({ ...config, routing: 'name' }, []);
  assert.match(misrouted.report.mistakes?.message ?? '', /no column "nmae"/);
  const routing = misrouted.report.findings.find(({ code, level }) => code === 'routing' && level === 'fail');
  assert.deepEqual(routing?.path, ['routing']);
});

test('Elasticsearch is not asked about fields that cannot have their names: it would say the same again', async () => {
  const { asked, report } = await look({ ...CONFIG, where: null, computed: {}, rename: { name: '_id' } }, []);
  assert.deepEqual([asked?.mapping, report.mistakes?.mistakes.some(({ text }) => text.includes('_id'))], [undefined, true]);
});
