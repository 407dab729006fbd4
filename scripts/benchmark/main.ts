/**
 * The benchmark of the load and the verification: every case once in each round, interleaved, so that ratios within one run mean something on a noisy machine. Medians over
 * the rounds with the spread; CPU in microseconds a row, split into this tool, PostgreSQL and Elasticsearch.
 *
 *   scripts/bench [--rows 300000] [--rounds 3] [--seed 1] [--json] [--only a,b,e]
 */
import { parseArgs } from 'node:util';
import { connect } from '../../test/support/servers.ts';
import { openBenchWorld } from './bench-world.ts';
import { copyDrain, type NamedFigures, nullSink, rebuild, recordBodies, rival, sinkLimit } from './cases.ts';
import { type Figures, printTable, summarize } from './figures.ts';
import { createProducts } from './products.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: 'a,b,c,d,e,f' },
  },
});
const rows = Number(values.rows);
const only = new Set(values.only.split(','));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const MAPPING = {
  dynamic: 'strict',
  properties: {
    id: { type: 'long' },
    sku: { type: 'keyword' },
    title: { type: 'text' },
    description: { type: 'text' },
    price: { type: 'double' },
    tags: { type: 'keyword' },
    attrs: { type: 'flattened' },
    category_id: { type: 'integer' },
    in_stock: { type: 'boolean' },
    created_at: { type: 'date' },
    updated_at: { type: 'date' },
  },
};

const world = await openBenchWorld(process.env.INSTANCE ?? 'default');
const client = await connect(world.databaseUrl);
say(`making ${rows} products`);
await createProducts(client, rows, Number(values.seed));
await client.end();

const runs = new Map<string, Figures[]>();
const take = (named: NamedFigures): void => {
  for (const [name, figures] of named) {
    runs.set(name, [...(runs.get(name) ?? []), figures]);
    say(`  ${name}: ${Math.round(figures.rowsPerSecond)} rows/s, node ${figures.nodeUs.toFixed(1)} us`);
  }
};
const bodies = await recordBodies(world);
let bytes = 0;
for (let round = 1; round <= Number(values.rounds); round++) {
  say(`round ${round}`);
  if (only.has('a')) {
    const limit = await sinkLimit(world, rows, bodies, MAPPING);
    bytes = limit[0] === undefined ? 0 : Math.round((limit[0][1].mbPerSecond * 1e6 * rows) / limit[0][1].rowsPerSecond);
    take(limit);
  }
  if (only.has('b')) take(await rebuild(world, rows, bytes));
  if (only.has('c')) take(await rival(world, rows, 'script', MAPPING));
  if (only.has('d')) take(await rival(world, rows, 'offset', MAPPING));
  if (only.has('e')) for (const readers of [1, 2]) take(await nullSink(world, rows, bytes, readers));
  if (only.has('f')) take(await copyDrain(world, rows));
}
bodies.close();
const summaries = [...runs].map(([name, figures]) => summarize(name, figures)).sort((a, b) => a.name.localeCompare(b.name));
process.stdout.write(values.json ? `${JSON.stringify({ rows, rounds: Number(values.rounds), summaries }, null, 2)}\n` : `${printTable(summaries)}\n`);
