import type { IgnoredField } from '../../../src/core/audit-report.ts';
import type { DocumentPlan } from '../../../src/core/encode/document-plan.ts';
import type { ValueForm } from '../../../src/core/encode/value-form.ts';
import type { RunEvent } from '../../../src/core/events.ts';
import { rowFromTexts } from '../../../src/core/row.ts';
import type { Column, SourceTable } from '../../../src/core/table.ts';
import type { ChunkReader, ReferenceRow, Source } from '../../../src/phases/ports.ts';
import type { FrozenIndex, ScannedDocument, Sink } from '../../../src/phases/sink-ports.ts';
import type { VerifyContext } from '../../../src/phases/verify.ts';

const FORMS: { readonly [name: string]: ValueForm } = {
  id: { kind: 'number' },
  name: { kind: 'string' },
  price: { kind: 'number' },
  tags: { kind: 'array', element: { kind: 'string' }, delimiter: ',' },
  at: { kind: 'timestamptz' },
};

const columns: readonly Column[] = Object.entries(FORMS).map(([name, form], at) => {
  return { name, attnum: at + 1, typeName: name, typeOid: 0, typmod: -1, notNull: at === 0, generated: false, form };
});

export const PLAN: DocumentPlan = {
  columns,
  fields: columns.map(({ name }, column) => ({ column, field: name })),
  key: [0],
  onNonFinite: 'reject',
  onUnrepresentable: 'reject',
  idHash: 'none',
};

/** A row as PostgreSQL's texts, in the order of the columns. */
export type Texts = readonly [id: string, name: string | null, price: string | null, tags: string | null, at: string | null];

export function texts(id: number): Texts {
  return [String(id), `name ${id}\twith a tab`, `${id}.10`, `{"a ${id}",b}`, '2024-01-02 03:04:05.5+00'];
}

/** What the load would have written; by hand, not by the encoder under test. */
export function documentOf([id, name, price, tags, at]: Texts): string {
  const list = tags === null ? null : tags.slice(1, -1).replaceAll('"', '').split(',');
  const time = at === null ? null : `${at.slice(0, -3).replace(' ', 'T')}Z`;
  return `{"id":${id},"name":${JSON.stringify(name)},"price":${price},"tags":${JSON.stringify(list)},"at":${JSON.stringify(time)}}`;
}

/** As to_jsonb would: other spelling of the time, spaces, other order of the keys. */
function referenceOf(row: Texts): ReferenceRow {
  const { price: _, ...rest } = JSON.parse(documentOf([row[0], row[1], '0', row[3], row[4]]));
  const price = row[2] === 'NaN' ? '"NaN"' : row[2];
  const at = row[4] === null ? null : row[4].replace(' ', 'T').replace('+00', '+00:00');
  return { key: [row[0]], json: `{"price": ${price}, ${JSON.stringify({ ...rest, at }).slice(1)}` };
}

/** A table and an index in memory, and what the verification did to them, in order. */
export class World {
  readonly rows = new Map<string, Texts>();
  readonly documents = new Map<string, ScannedDocument>();
  readonly journal: string[] = [];
  readonly events: RunEvent[] = [];
  changed: readonly (readonly string[])[] = [];
  deleted: readonly (readonly string[])[] = [];
  rejectedIds = new Set<string>();
  ignored: readonly IgnoredField[] = [];
  /** Thrown by createSlot. */
  slotError: unknown = null;
  /** Called at the start of every settling round; changes the world. */
  onFreeze: (freeze: number) => void = () => undefined;
  freezes = 0;
  opened = 0;
  snapshot: ReadonlyMap<string, Texts> | null = null;

  constructor(ids: number) {
    for (let id = 1; id <= ids; id++) {
      const row = texts(id);
      this.rows.set(row[0], row);
      this.write(row[0], documentOf(row));
    }
  }

  write(id: string, source: string, version = 1n): void {
    this.documents.set(id, { id, version, source: Buffer.from(source) });
  }

  context(changes: Partial<VerifyContext> = {}): VerifyContext {
    return {
      source: this.source(),
      sink: this.sink(),
      replay: {
        hold: async () => void this.journal.push('hold'),
        runTo: async (lsn, snapshotName) => void this.journal.push(`runTo ${lsn} ${snapshotName}`),
        release: () => void this.journal.push('release'),
        waitUntilApplied: async (lsn) => void this.journal.push(`applied ${lsn}`),
        changedKeys: () => this.changed,
        deletedKeys: () => this.deleted,
      },
      clock: { now: () => 0, date: () => new Date(0), sleep: async (ms) => void this.journal.push(`sleep ${ms}`) },
      reporter: { report: (event) => void this.events.push(event) },
      table: { schema: 'public', name: 't', columns, key: ['id'] } as unknown as SourceTable,
      plan: PLAN,
      index: 't-1',
      mode: 'full',
      sample: 50,
      seed: 'seed',
      rejectedIds: this.rejectedIds,
      slotName: 'realign_t',
      slotTimeoutMs: 1000,
      signal: new AbortController().signal,
      ...changes,
    };
  }

  source(): Source {
    const rowsOf = (snapshotName: string | null | undefined): ReadonlyMap<string, Texts> => (snapshotName ? (this.snapshot ?? this.rows) : this.rows);
    const named = (rows: ReadonlyMap<string, Texts>, keys: readonly (readonly string[])[]): Texts[] =>
      [...keys.flat()].map((id) => rows.get(id)).filter((row) => row !== undefined);
    return {
      createSlot: async ({ name }) => {
        this.journal.push(`slot ${name}`);
        if (this.slotError !== null) throw this.slotError;
        return { name, consistentPoint: 77n, snapshotName: 'exported', release: async () => void this.journal.push('slot released') };
      },
      keepSnapshot: async (from) => {
        this.journal.push(`keep ${from}`);
        this.snapshot = new Map(this.rows);
        this.opened++;
        return { snapshotName: 'kept', release: async () => void this.opened-- };
      },
      insertLsn: async () => 99n,
      openTable: async ({ columns: wanted, snapshotName }) => this.chunkReader([...rowsOf(snapshotName).values()], wanted.length),
      lookup: async ({ keys, snapshotName }) => ({
        snapshot: null as never,
        rows: named(rowsOf(snapshotName), keys).map((row) => rowFromTexts(row)),
      }),
      canBeKeys: async (_, keys) => keys.every(([id]) => id !== 'abc'),
      readReference: async ({ rows, snapshotName }) => {
        const all = rowsOf(snapshotName);
        return ('keys' in rows ? named(all, rows.keys) : [...all.values()].slice(0, rows.random)).map(referenceOf);
      },
    } as Partial<Source> as Source;
  }

  private chunkReader(rows: readonly Texts[], width: number): ChunkReader {
    this.opened++;
    const field = (text: string | null): string => (text === null ? '\\N' : text.replaceAll('\\', '\\\\').replaceAll('\t', '\\t'));
    const bytes = Buffer.from(rows.map((row) => `${row.slice(0, width).map(field).join('\t')}\n`).join(''));
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let at = 0; at < bytes.length; at += 1000) yield Buffer.from(bytes.subarray(at, at + 1000));
    }
    return { snapshot: null as never, relfilenode: 1, chunks, close: async () => void this.opened-- };
  }

  sink(): Sink {
    return {
      refresh: async (index: string) => void this.journal.push(`refresh ${index}`),
      freeze: async () => {
        this.journal.push('freeze');
        this.onFreeze(++this.freezes);
        return this.frozen(new Map(this.documents));
      },
    } as Partial<Sink> as Sink;
  }

  private frozen(documents: ReadonlyMap<string, ScannedDocument>): FrozenIndex {
    this.opened++;
    async function* scan(): AsyncGenerator<readonly ScannedDocument[]> {
      const all = [...documents.values()].reverse();
      for (let at = 0; at < all.length; at += 7) yield all.slice(at, at + 7);
    }
    return {
      count: async () => documents.size,
      scan,
      byIds: async (ids) => ids.flatMap((id) => documents.get(id) ?? []),
      ignored: async () => this.ignored,
      fromSequence: async function* () {
        yield { ids: [...documents.keys()], lastSeqNo: 0n, atLast: documents.size };
      },
      randomIds: async (count) => [...documents.keys()].slice(0, count),
      close: async () => void this.opened--,
    };
  }
}
