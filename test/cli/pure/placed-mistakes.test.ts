import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placedMistakes } from '../../../src/cli/config/placed-mistakes.ts';
import { Failure } from '../../../src/core/failure.ts';
import type { Finding } from '../../../src/core/finding.ts';
import { ConfigMistakes, mistakeAt } from '../../../src/core/plan/config-mistakes.ts';
import { PreflightRefused } from '../../../src/core/plan/preflight-refused.ts';
import { loadText } from './load-config.ts';

const TEXT = `version: 1
postgres: { url: postgres://u@localhost/d }
elasticsearch: { url: http://localhost:9200 }
indices:
  products:
    table: public.products
    columns: [id, nmae]
    rename:
      prise: price
    id: idd
    mapping: { dynamic: strict, properties: {} }
    where: nme = 1
    fields:
      total: { sql: 'sum(price)' }
defaults:
  limits: { query: select busy() }
`;

function told(mistakes: ConfigMistakes | PreflightRefused): readonly string[] {
  const placed = placedMistakes(mistakes, 'products', loadText({ text: TEXT }).configuration);
  assert.ok(placed instanceof Failure && placed.kind === mistakes.kind);
  return `${placed.message}\n${placed.hint}`.split('\n').map((line) => line.replace(/\S*realign\.yaml/, 'realign.yaml').trim());
}

test('mistakes that the table shows have their places, in the order of the file, several of one place too', () => {
  const mistakes = new ConfigMistakes('products', [
    mistakeAt('mapping', 'has no property "a"'),
    mistakeAt('mapping', 'has no property "b"'),
    mistakeAt('id', 'the table has no column "idd"', 0),
    mistakeAt('rename', 'the table has no column "prise"', 'prise'),
    mistakeAt('columns.include', 'the table has no column "nmae"', 1),
  ]);
  assert.deepEqual(told(mistakes), [
    '5 mistakes in the configuration:',
    'realign.yaml:7:19  indices.products.columns.include: the table has no column "nmae"',
    'realign.yaml:9:14  indices.products.rename: the table has no column "prise"',
    'realign.yaml:10:9  indices.products.id: the table has no column "idd"',
    'realign.yaml:11:5  indices.products.mapping: has no property "a"',
    'realign.yaml:11:5  indices.products.mapping: has no property "b"',
    'Correct the config; nothing was created.',
  ]);
});

const FINDINGS: readonly Finding[] = [
  { level: 'fail', side: 'postgres', code: 'expression', message: 'where: no', fix: 'Correct it.', path: ['where'] },
  { level: 'fail', side: 'postgres', code: 'expression', message: 'fields.total.sql: no', fix: 'Correct it.', path: ['fields', 'total', 'sql'] },
  { level: 'fail', side: 'postgres', code: 'limits-query', message: 'limits.query: no', fix: 'Mend it.', path: ['defaults', 'limits', 'query'] },
  { level: 'fail', side: 'postgres', code: 'wal-level', message: 'wal_level=replica', fix: 'Raise it.' },
];

test('findings that the config is to blame for have their places: alone, and beside mistakes', () => {
  const placed = [
    'postgres: realign.yaml:12:12  where: no',
    'postgres: realign.yaml:14:21  fields.total.sql: no',
    'postgres: realign.yaml:16:20  limits.query: no',
    'postgres: wal_level=replica',
  ];
  assert.deepEqual(told(new PreflightRefused(FINDINGS)), [...placed, 'Correct it.', 'Mend it.', 'Raise it.']);
  const fixes = ['fix: Correct it.', 'fix: Correct it.', 'fix: Mend it.', 'fix: Raise it.'];
  assert.deepEqual(told(new ConfigMistakes('products', [mistakeAt('id', 'no')], FINDINGS)), [
    '1 mistake in the configuration:',
    'realign.yaml:10:9  indices.products.id: no',
    'Correct the config; nothing was created.',
    ...placed.flatMap((line, at) => [`Besides, ${line}`, fixes[at] ?? '']),
  ]);
});

test('without a file, and for any other failure, nothing changes', () => {
  const mistakes = new ConfigMistakes('products', [mistakeAt('id', 'x')]);
  assert.equal(placedMistakes(mistakes, 'products', null), mistakes);
  const other = new Failure('locked', 'm');
  assert.equal(placedMistakes(other, 'products', loadText({ text: TEXT }).configuration), other);
});
