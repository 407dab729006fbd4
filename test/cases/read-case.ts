import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders are read where they are written; only the runner is compiled. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'test', 'cases');

/**
 * When a part of a workload runs: as soon as the slot is there; while the first chunk is open (its snapshot is older, and it holds a lock that DDL would wait for); before the
 * second chunk is opened; when the load is done; when the verification has passed; in the middle of the swap, after everything was looked at for the last time.
 */
export const MOMENTS = [
  'after the slot',
  'during the load',
  'between chunks',
  'after the load',
  'after the verification',
  'before the swap',
] as const;
export type Moment = (typeof MOMENTS)[number];

/** Statements of one session, sent as one query. */
export interface Statements {
  readonly session: string;
  /** The next statements do not wait for these (they wait for a lock themselves); all have ended before the build goes on. */
  readonly inBackground: boolean;
  readonly sql: string;
}

/** `expect.json`. */
export interface Expectation {
  /** What the case shows, in a sentence. */
  readonly shows: string;
  /** What the case rests on: facts of docs/servers.md, another page of docs, an issue. */
  readonly from: string;
  readonly exit: number;
  /** Words that the message of the failure, or a finding of the preflight, must hold. */
  readonly message?: string | readonly string[];
  /** A table or view whose rows the index must equal by the oracle; default: the table of the config. */
  readonly equals?: string;
  readonly where?: string;
  readonly rename?: { readonly [column: string]: string };
  readonly exclude?: readonly string[];
  /** Id → document, compared as JSON values; `null`: there must be none. */
  readonly documents?: { readonly [id: string]: unknown };
  /** Every document of the index by id, and its `_routing`. */
  readonly routings?: { readonly [id: string]: string };
  readonly count?: number;
  /** Rejected ids and what each reason holds. */
  readonly rejects?: { readonly [id: string]: string };
  /** Those that are rejected still when the build ends; default: all of `rejects`. */
  readonly rejectedAtTheEnd?: readonly string[];
  /** Codes of the warnings that must be reported. */
  readonly warnings?: readonly string[];
  /** Field → its mapping. */
  readonly mapping?: { readonly [field: string]: unknown };
  readonly maxRejects?: number;
  readonly chunkBlocks?: number;
  readonly onNonFinite?: 'null' | 'string';
}

export interface Case {
  readonly name: string;
  readonly config: string;
  readonly schema: string;
  readonly seed: string;
  readonly workload: ReadonlyMap<Moment, readonly Statements[]>;
  readonly expect: Expectation;
}

/** The case folders in the order of their names. */
export function readCases(): readonly Case[] {
  return readdirSync(FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'pure')
    .map(({ name }) => readCase(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readCase(name: string): Case {
  const read = (file: string): string => (existsSync(join(FOLDER, name, file)) ? readFileSync(join(FOLDER, name, file), 'utf8') : '');
  return {
    name,
    config: join(FOLDER, name, 'config.yaml'),
    schema: read('schema.sql'),
    seed: read('seed.sql'),
    workload: parseWorkload(read('workload.sql')),
    expect: JSON.parse(read('expect.json')) as Expectation,
  };
}

/**
 * Lines `-- when: MOMENT` and `-- session: NAME` (or `-- session: NAME, in the background`) cut the file; what stands before the first of them runs after the slot in session `a`.
 */
function parseWorkload(text: string): ReadonlyMap<Moment, readonly Statements[]> {
  const parts = new Map<Moment, Statements[]>();
  let moment: Moment = 'after the slot';
  let session = { session: 'a', inBackground: false };
  for (const piece of text.split(/^(?=-- (?:when|session): )/m)) {
    const [, kind, value = ''] = /^-- (when|session): (.*)$/m.exec(piece.split('\n', 1)[0] ?? '') ?? [];
    if (kind === 'when') {
      moment = momentOf(value);
      session = { session: 'a', inBackground: false };
    }
    if (kind === 'session') session = { session: value.replace(/,.*/, ''), inBackground: value.endsWith(', in the background') };
    const sql = kind === undefined ? piece : piece.slice(piece.indexOf('\n') + 1);
    if (sql.trim() !== '') parts.set(moment, [...(parts.get(moment) ?? []), { ...session, sql }]);
  }
  return parts;
}

function momentOf(text: string): Moment {
  const moment = MOMENTS.find((one) => one === text.trim());
  if (moment === undefined) throw new Error(`a workload has no moment ${JSON.stringify(text)}`);
  return moment;
}
