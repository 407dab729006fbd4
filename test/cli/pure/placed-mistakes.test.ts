import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placedMistakes } from '../../../src/cli/config/placed-mistakes.ts';
import { Failure } from '../../../src/core/failure.ts';
import { ConfigMistakes, mistakeAt } from '../../../src/core/plan/config-mistakes.ts';
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
`;

function told(mistakes: ConfigMistakes): readonly string[] {
  const placed = placedMistakes(mistakes, loadText({ text: TEXT }).configuration);
  assert.ok(placed instanceof Failure && placed.kind === 'config');
  return placed.message.split('\n').map((line) => line.replace(/^.*realign\.yaml/, 'realign.yaml').trim());
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
  ]);
});

test('without a file, and for any other failure, nothing changes', () => {
  const mistakes = new ConfigMistakes('products', [mistakeAt('id', 'x')]);
  assert.equal(placedMistakes(mistakes, null), mistakes);
  const other = new Failure('locked', 'm');
  assert.equal(placedMistakes(other, loadText({ text: TEXT }).configuration), other);
});
