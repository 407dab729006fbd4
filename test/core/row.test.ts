import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyRow, FIELD_ABSENT, FIELD_NULL, fieldText, fillAbsent, type Row, rowFromTexts } from '../../src/core/row.ts';

/** `undefined` is absent. */
function rowOf(...texts: readonly (string | null | undefined)[]): Row {
  const row = rowFromTexts(texts.map((text) => text ?? null));
  for (const [column, text] of texts.entries()) if (text === undefined) row.starts[column] = FIELD_ABSENT;
  return row;
}

function textsOf(row: Row): readonly (string | null | undefined)[] {
  return [...row.starts].map((start, column) => (start === FIELD_ABSENT ? undefined : fieldText(row, column)));
}

test('absent fields come from the earlier row; what is NULL or empty stays so', () => {
  const row = rowOf('a', undefined, null, '', undefined, undefined, undefined);
  const earlier = rowOf('z', 'größe', 'y', 'x', null, '', undefined);
  const filled = fillAbsent(row, earlier);
  assert.deepEqual(textsOf(filled), ['a', 'größe', null, '', null, '', undefined]);
  assert.equal(filled.starts[4], FIELD_NULL);
});

test('a row that lacks nothing is not copied', () => {
  const row = rowOf('a', null);
  assert.equal(fillAbsent(row, rowOf('z', 'y')), row);
});

test('what was copied or put together owns its bytes, and no more than it needs', () => {
  const [row, earlier] = [rowOf('a', undefined), rowOf('far too long', 'b')];
  const filled = fillAbsent(row, earlier);
  const copy = copyRow(earlier);
  row.bytes.fill(0);
  earlier.bytes.fill(0);
  assert.deepEqual(
    [textsOf(filled), textsOf(copy)],
    [
      ['a', 'b'],
      ['far too long', 'b'],
    ],
  );
  assert.equal(filled.bytes.length, 2);
});
