import type { DocumentPlan } from '../encode/document-plan.ts';
import { Failure } from '../failure.ts';
import { nameInSql, type SourceTable } from '../table.ts';
import type { RelationColumn, RelationMessage } from './pgoutput.ts';

/**
 * For each column of the stream the field of a `Row` in the document plan's order, or −1 for a column no document needs.
 * Throws `source-changed` if the table's columns are not those of the plan any more: some such changes send no row messages at all.
 */
export function mapRelation(relation: RelationMessage, table: SourceTable, plan: DocumentPlan): Int32Array {
  const known = new Map(table.columns.map((column) => [column.name, column]));
  for (const column of relation.columns) {
    const before = known.get(column.name);
    if (before === undefined) throw columnChanged(relation, `column "${column.name}" is new`);
    if (before.typeOid !== column.typeOid || before.typmod !== column.typmod)
      throw columnChanged(relation, `column "${column.name}" has another type`);
    known.delete(column.name);
  }
  for (const missing of known.values()) {
    if (!missing.generated) throw columnChanged(relation, `column "${missing.name}" is gone`);
  }
  return positions(relation.columns, plan);
}

function positions(streamed: readonly RelationColumn[], plan: DocumentPlan): Int32Array {
  // A computed field may have the name of a column; the stream never carries it.
  const fieldOf = new Map(plan.columns.flatMap(({ name, sql }, index) => (sql === undefined ? [[name, index] as const] : [])));
  return Int32Array.from(streamed, (column) => fieldOf.get(column.name) ?? -1);
}

/** Of the same columns, only those of the document plan's key. */
export function onlyKey(target: Int32Array, { key }: DocumentPlan): Int32Array {
  return target.map((field) => (key.includes(field) ? field : -1));
}

function columnChanged(relation: RelationMessage, what: string): Failure {
  return new Failure('source-changed', `${nameInSql(relation)} was altered during the build: ${what}`, {
    hint: 'Run the same command again with --fresh: a new build reads the table as it is now.',
  });
}
