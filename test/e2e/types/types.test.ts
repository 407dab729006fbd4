import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Source } from '../../../src/phases/ports.ts';
import { assertNoLeaks } from '../../support/leak-check.ts';
import { deleteIndicesLike, type FreshDatabase, freshDatabase } from '../../support/servers.ts';
import { buildInProcess, type InProcessRun, uniqueAlias } from '../in-process.ts';
import { type OddRole, oddRole } from './odd-role.ts';
import { TYPE_CASES, type TypeCase } from './type-cases.ts';
import { createTypeTable, documentOf, expectedRows, idOf, insertRow, readDocument, storedFields, usableCases, WAYS } from './type-world.ts';

/** `TYPE_SEED=n` repeats a run, `TYPE_ROWS=n` makes more rows of generated values. */
const seed = Number(process.env.TYPE_SEED ?? Date.now() % 1_000_000);
const GENERATED = Number(process.env.TYPE_ROWS ?? 60);
const ROWS = GENERATED + Math.max(...TYPE_CASES.map(({ golden }) => golden.length)) + 1;

const alias = uniqueAlias();
let database: FreshDatabase;
let role: OddRole;
let cases: readonly TypeCase[];
let texts: readonly (readonly (string | null)[])[];
let run: InProcessRun;
let expected: ReadonlyMap<number, readonly string[]>;
let lookedUp = 0;

/** Row 0 is NULL in every column, then come the golden values, then generated ones. */
function rowsOf(some: readonly TypeCase[]): readonly (readonly (string | null)[])[] {
  const columns = some.map(({ golden, values }) => [null, ...golden.map(([input]) => input), ...fc.sample(values, { numRuns: ROWS, seed })]);
  return Array.from({ length: ROWS }, (_, row) => columns.map((column) => column[row] ?? null));
}

/** Before the first chunk is read, a third of the rows is inserted and another third updated: they come by the stream, and by lookup. */
function writeFirst(source: Source): Source {
  let written: Promise<void> | null = null;
  const write = async (): Promise<void> => {
    for (const [row, values] of texts.entries()) await insertRow(database.client, cases, idOf(row, 'stream'), values);
    await database.client.query('update app.typed set touched = touched + 1 where id >= $1', [idOf(0, 'lookup')]);
  };
  return {
    ...source,
    openChunk: async (request) => {
      written ??= write();
      await written;
      return source.openChunk(request);
    },
    lookup: async (request) => {
      lookedUp += request.keys.length;
      return source.lookup(request);
    },
  };
}

/** Shows the place, not the ten thousand bytes around it. */
function assertSameBytes(actual: string, wanted: string, what: string): void {
  if (actual === wanted) return;
  let at = 0;
  while (actual[at] === wanted[at]) at++;
  assert.equal(actual.slice(at - 60, at + 60), wanted.slice(at - 60, at + 60), what);
}

before(async () => {
  database = await freshDatabase();
  role = await oddRole(database);
  cases = await usableCases(database.client, TYPE_CASES);
  texts = rowsOf(cases);
  await createTypeTable(database.client, cases, role.name);
  for (const way of ['load', 'lookup'] as const)
    for (const [row, values] of texts.entries()) await insertRow(database.client, cases, idOf(row, way), values);
  run = await buildInProcess({
    database: role.database,
    alias,
    table: 'app.typed',
    config: { fields: storedFields(cases) },
    options: { maxRejects: 0 },
    wrapSource: writeFirst,
  });
  expected = await expectedRows(database.client, cases);
});

after(async () => {
  await assertNoLeaks({ database, indices: [] });
  await deleteIndicesLike(`${alias}*`);
  await database.drop();
  await role.drop();
});

test(`${TYPE_CASES.length} types, ${ROWS} rows of each: the document from COPY, from the stream and from a lookup is what PostgreSQL's own functions print, byte for byte, and comes back so (seed ${seed})`, async () => {
  for (const way of WAYS) {
    for (let row = 0; row < ROWS; row++) {
      const id = idOf(row, way);
      const { source } = await readDocument(run.result.index, id);
      const wanted = documentOf(cases, id, expected.get(id) ?? [], way === 'lookup' ? 1 : 0);
      assertSameBytes(source, wanted, `row ${row} by ${way}`);
    }
  }
});

test('the three ways give the same bytes, and each row came the way it was meant to', async () => {
  const versions = { load: new Set<bigint>(), stream: new Set<bigint>(), lookup: new Set<bigint>() };
  for (let row = 0; row < ROWS; row++) {
    const copies = await Promise.all(WAYS.map((way) => readDocument(run.result.index, idOf(row, way))));
    const [load, stream, lookup] = copies.map(({ source }) => source.slice(source.indexOf(',"filler"')));
    assertSameBytes(stream ?? '', load ?? '', `row ${row}, stream and load`);
    assertSameBytes(lookup ?? '', load ?? '', `row ${row}, lookup and load`);
    for (const [i, way] of WAYS.entries()) versions[way].add(copies[i]?.version ?? 0n);
  }
  assert.equal(versions.load.size, 1, 'loaded rows have one version');
  assert.equal(versions.lookup.size, 1, 'one transaction updated the rows that are looked up');
  assert.equal(versions.stream.size, ROWS, 'each inserted row has the version of its own transaction');
  assert.equal(lookedUp, ROWS);
});

for (const { name, sql, golden, extension } of TYPE_CASES) {
  test(`${name} (${sql}): ${golden.length} values give exactly the JSON that the table of types promises`, () => {
    const column = cases.findIndex((some) => some.name === name);
    if (extension !== undefined && column < 0) return;
    for (const way of WAYS) {
      for (const [i, [input, json]] of golden.entries()) assert.equal(expected.get(idOf(i + 1, way))?.[column], json, `${input} by ${way}`);
    }
  });
}
