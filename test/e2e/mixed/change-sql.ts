import { chance, pick, type Random, type World } from './draw-world.ts';
import { codeOf, hasSpot, insertRows, matches, rowValues, SPARE_KEYS, setKey } from './table-sql.ts';

const POISON_CODE = 'poison';
/** Ids of more than 512 bytes. */
const LONG_KEY = 600;

/** Rows that can have no document; SQL over the row. */
export function poisoned(world: World): string {
  return `(coalesce(code, '') = '${POISON_CODE}'${world.key === 'text' && world.idHash === 'none' ? ' or octet_length(k) > 500' : ''})`;
}

interface Draw {
  readonly world: World;
  readonly random: Random;
  /** A key number of a row, if it is not gone. */
  g(): string;
  /** What values are made of. */
  h(): string;
}

type Change = (draw: Draw) => readonly string[];

const touch: Change = ({ world, g }) => [`update t set n = n + 1 where ${matches(world, g())}`];

const overwrite: Change = ({ world, random, g, h }) => {
  const settable = ['n', 'code', 'deleted_at', 'body', ...world.values.map(({ name }) => name)];
  const row = rowValues(world, '0', h());
  const columns = [pick(random, settable), pick(random, settable)].filter((name, at, all) => all.indexOf(name) === at);
  return [`update t set ${columns.map((name) => `${name} = ${row.get(name)}`).join(', ')} where ${matches(world, g())}`];
};

const blank: Change = ({ world, random, g }) => {
  const column = pick(random, ['code', 'deleted_at', 'body', ...world.values.map(({ name }) => name)]);
  return [`update t set ${column} = null where ${matches(world, g())}`];
};

const remove: Change = ({ world, g }) => [`delete from t where ${matches(world, g())}`];

const insert: Change = ({ world, g, h }) => {
  const at = Number(g());
  return [`${insertRows(world, { from: at, to: at }, h())} on conflict do nothing`];
};

const rekey: Change = ({ world, g }) => [`update t set ${setKey(world, g())} where ${matches(world, g())}`];

const swapKeys: Change = ({ world, random, g }) => {
  const [a, b, third] = [g(), g(), String(world.rows + SPARE_KEYS + random(20))];
  return [
    `update t set ${setKey(world, third)} where ${matches(world, a)}`,
    `update t set ${setKey(world, a)} where ${matches(world, b)}`,
    `update t set ${setKey(world, b)} where ${matches(world, third)}`,
  ];
};

const replaceRow: Change = ({ world, g, h }) => {
  const at = Number(g());
  const where = matches(world, String(at));
  return [
    `update t set n = n + 1 where ${where}`,
    `delete from t where ${where}`,
    `${insertRows(world, { from: at, to: at }, h())} on conflict do nothing`,
    `update t set code = null where ${where}`,
  ];
};

const savepoint: Change = (draw) => [
  'savepoint s',
  ...pick(draw.random, [touch, overwrite, remove, rekey])(draw),
  chance(draw.random, 2) ? 'rollback to savepoint s' : 'release savepoint s',
  ...touch(draw),
];

const filter: Change = ({ world, random, g }) => [
  `update t set deleted_at = ${chance(random, 2) ? 'null' : "timestamptz '2024-05-05 00:00Z'"} where ${matches(world, g())}`,
];

/** To another partition. */
const move: Change = (draw) => {
  const { world, random, g } = draw;
  return hasSpot(world) ? [`update t set spot = (spot + 1 + ${random(3)}) % 5 where ${matches(world, g())}`] : touch(draw);
};

const spoil: Change = (draw) => {
  const { world, random, g } = draw;
  if (!world.poison) return overwrite(draw);
  if (world.key === 'text' && chance(random, 2)) return [`update t set k = rpad(k, ${LONG_KEY}, '~') where ${matches(world, g())}`];
  return [`update t set code = '${POISON_CODE}' where ${matches(world, g())}`];
};

const mend: Change = (draw) => {
  const { world, random, h } = draw;
  if (!world.poison) return overwrite(draw);
  const some = `${poisoned(world)} and n % 3 = ${random(3)}`;
  if (chance(random, 3)) return [`delete from t where ${some}`];
  return [`update t set code = ${codeOf(h())}${world.key === 'text' ? ", k = rtrim(k, '~')" : ''} where ${some}`];
};

/** Equal for PostgreSQL, another id. */
const respell: Change = (draw) =>
  draw.world.key === 'numeric'
    ? [
        `update t set k = ${chance(draw.random, 2) ? 'trim_scale(k)' : "(k || '0')::numeric"} where scale(k) between 1 and 5 and ${matches(draw.world, draw.g())}`,
      ]
    : touch(draw);

const hotKey: Change = ({ world, random, g }) => {
  const where = matches(world, g());
  return Array.from({ length: 3 + random(15) }, (_, i) => `update t set n = n + ${i} where ${where}`);
};

/** Up to all rows in one transaction. */
const many: Change = ({ world, random, h }) => {
  const rest = `n % ${pick(random, [1, 2, 7])} = 0`;
  const from = 1 + random(world.rows);
  const to = from + random(Math.min(world.rows, 600));
  return pick(random, [
    [`update t set n = n + 1, code = ${codeOf(h())} where ${rest}`],
    [`delete from t where ${rest}`, `${insertRows(world, { from, to }, `g + ${h()}`)} on conflict do nothing`],
    [`${insertRows(world, { from, to }, `g + ${h()}`)} on conflict do nothing`],
  ]);
};

const CHANGES: readonly Change[] = [
  ...[touch, touch, overwrite, overwrite, overwrite, blank, remove, insert, insert, insert, rekey, rekey, swapKeys, replaceRow, replaceRow],
  ...[savepoint, filter, filter, move, move, spoil, mend, mend, respell, hotKey],
];

/** The statements of one transaction, without BEGIN and COMMIT; a large one changes up to all rows. */
export function drawTransaction(world: World, random: Random, large: boolean): readonly string[] {
  const draw: Draw = {
    world,
    random,
    g: () => String(1 + random(world.rows + SPARE_KEYS)),
    h: () => String(1 + random(1_000_000)),
  };
  const changes = large ? [many] : Array.from({ length: 1 + random(5) }, () => pick(random, CHANGES));
  const pause = chance(random, 20) ? [`select pg_sleep(${(10 + random(120)) / 1000})`] : [];
  return [...changes.flatMap((change) => change(draw)), ...pause];
}

/** Everything goes and a few rows come, in one transaction. */
export function truncateSql(world: World): readonly string[] {
  const random = world.seed % 100;
  return [
    'update t set n = n + 1 where n % 10 = 3',
    'truncate t',
    `${insertRows(world, { from: 1, to: 50 + random }, 'g + 17')}`,
    'update t set n = n + 1 where n % 5 = 0',
  ];
}
