import { parseArgs } from 'node:util';

export const USAGE = `scripts/bench [--rows 1000000] [--rounds 3] [--changes 500000] [--growth 100000,300000,1000000,3000000] [--seed 1] [--only a,b,…] [--shards 1] [--peers] [--json] [--write | --write-cluster] [--smoke]
  All of it takes about an hour and a half: --rounds counts for (j) too.
  --only    of a sink limit, b load (and h, its verification), c cursor script, d OFFSET pages, e null sink, f COPY alone, g replay, i the source's writer, j growth,
            k throttled nodes
  --peers   (p) beside them: pgsync and search-replica on the same table. pgsync is installed with a redis into .peers/ by pip and apt-get (69: one of these is missing),
            search-replica built there by git and go from its repository; where that cannot be, SEARCH_REPLICA=<its program, or a folder of its source> gives it. Without
            it pgsync is measured alone
  --json    the report on stdout instead of tables
  --write   into docs/performance.json, and the page and the curves made of it. Of a report of the same machine and servers only the cases that ran are replaced, and the
            sizes of (j), so that it can be made in pieces: scripts/bench --only j --growth 3000000 --write
  --write-cluster  likewise docs/performance-cluster.json: INSTANCE=bench3 ES_NODES=3 ES_HEAP=1g scripts/bench --shards 3 --only a,b,e,k --rounds 1 --write-cluster
  --smoke   every case once with a few thousand rows: it shows that the benchmark runs, its figures mean nothing
`;

const CASES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'i', 'j', 'k'] as const;
export type CaseName = (typeof CASES)[number];

export interface BenchOptions {
  readonly rows: number;
  readonly rounds: number;
  readonly changes: number;
  /** Rows of the tables of (j). */
  readonly growth: readonly number[];
  readonly seed: number;
  readonly shards: number;
  readonly only: ReadonlySet<CaseName>;
  readonly peers: boolean;
  readonly json: boolean;
  readonly write: boolean;
  readonly writeCluster: boolean;
  readonly smoke: boolean;
  readonly help: boolean;
}

const USUAL = { rows: '1000000', rounds: '3', changes: '500000', growth: '100000,300000,1000000,3000000' };
const SMOKE = { rows: '5000', rounds: '1', changes: '1000', growth: '2000,4000' };

export class UsageError extends Error {}

/** The command line of the benchmark; throws a `UsageError`. */
export function readOptions(args: readonly string[]): BenchOptions {
  const values = parse(args);
  const usual = values.smoke ? SMOKE : USUAL;
  const number = (name: 'rows' | 'rounds' | 'changes'): number => whole(name, values[name] ?? usual[name]);
  return {
    ...{ rows: number('rows'), rounds: number('rounds'), changes: number('changes') },
    growth: (values.growth ?? usual.growth).split(',').map((size) => whole('growth', size)),
    ...{ seed: whole('seed', values.seed), shards: whole('shards', values.shards), only: casesOf(values.only) },
    ...{ peers: values.peers, json: values.json, write: values.write, writeCluster: values['write-cluster'], smoke: values.smoke, help: values.help },
  };
}

function parse(args: readonly string[]) {
  const [no, text] = [{ type: 'boolean', default: false } as const, { type: 'string' } as const];
  try {
    return parseArgs({
      args: [...args],
      options: {
        ...{ rows: text, rounds: text, changes: text, growth: text },
        ...{ seed: { type: 'string', default: '1' }, shards: { type: 'string', default: '1' }, only: { type: 'string', default: CASES.join(',') } },
        ...{ peers: no, json: no, write: no, 'write-cluster': no, smoke: no, help: no },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${name} ${text}: expected a whole number from 1`);
  return value;
}

function casesOf(text: string): ReadonlySet<CaseName> {
  const names = text.split(',');
  const known = CASES.filter((name) => names.includes(name));
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new UsageError(`--only ${text}: there is no case "${unknown}", only ${CASES.join(' ')}`);
  return new Set(known);
}
