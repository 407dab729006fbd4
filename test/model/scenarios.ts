import type { Change, Key, Scenario, Transaction } from './world.ts';

const put = (key: Key, value: string, block = 0): Change => ({ key, value, block });
const del = (key: Key): Change => ({ key, value: null, block: 0 });

function transaction(name: string, changes: readonly Change[], more: Partial<Transaction> = {}): Transaction {
  return { session: 0, truncate: false, early: false, lags: false, parts: false, lookup: false, name, changes, ...more };
}

function scenario(asked: Partial<Scenario> & Pick<Scenario, 'name' | 'finds'>): Scenario {
  const none = { crash: 0, reconnect: 0, cut: 0, noAnswer: 0 };
  return { rows: [], transactions: [], blocks: 1, copyJobs: 1, slowOpen: false, ...asked, faults: { ...none, ...asked.faults } };
}

const A = [{ key: 'a', value: 'old', block: 0 }] as const;
const once = { crash: 0, reconnect: 0, cut: 0, noAnswer: 0 };

/** Small worlds, each with what its rules are about: every interleaving of each is visited. */
export const SCENARIOS: readonly Scenario[] = [
  scenario({
    name: 'an update around the consistent point',
    rows: A,
    transactions: [transaction('U', [put('a', 'new')], { early: true, lags: true })],
    faults: { ...once, crash: 1 },
    finds: ['R0 visible first', 'R1 commit LSN', 'R1 below CP', 'R4 effect first'],
  }),
  scenario({
    name: 'a delete beside its chunk, and a crash',
    rows: A,
    transactions: [transaction('D', [del('a')], { lags: true })],
    faults: { ...once, crash: 1 },
    finds: ['R3 deletes again', 'R4 chunk floor', 'R4 visible', 'R4 dead bulks'],
  }),
  scenario({
    name: 'two chunks at once, a delete in each',
    rows: [...A, { key: 'b', value: 'old', block: 1 }],
    transactions: [transaction('D', [del('a')]), transaction('E', [del('b')], { session: 1 })],
    blocks: 2,
    copyJobs: 2,
    slowOpen: true,
    finds: ['R3 memory'],
  }),
  scenario({
    name: 'chunks that overlap, a delete beside each, and a crash',
    rows: [...A, { key: 'b', value: 'old', block: 1 }],
    transactions: [transaction('D', [del('a')]), transaction('E', [del('b')])],
    blocks: 2,
    copyJobs: 2,
    faults: { ...once, crash: 1 },
    finds: ['R3 deletes again', 'R4 chunk floor'],
  }),
  scenario({
    name: 'a chunk that is cut and read again beside a delete',
    rows: A,
    transactions: [transaction('D', [del('a')])],
    faults: { ...once, cut: 1, crash: 1 },
    finds: ['R3 first attempt'],
  }),
  scenario({
    name: 'insert, delete, insert in one transaction',
    rows: A,
    transactions: [transaction('T', [put('a', '1'), del('a'), put('a', '2')]), transaction('D', [del('a')])],
    finds: ['R2 one operation'],
  }),
  scenario({
    name: 'the same in parts',
    rows: A,
    transactions: [transaction('T', [put('a', '1'), del('a'), put('a', '2')], { parts: true }), transaction('D', [del('a')])],
    faults: { ...once, crash: 1, reconnect: 1 },
    finds: ['R2 parts', 'R2 whole'],
  }),
  scenario({
    name: 'insert, then delete, and the stream is cut',
    transactions: [transaction('I', [put('a', 'new')]), transaction('D', [del('a')])],
    faults: { ...once, reconnect: 1, crash: 1 },
    finds: ['R5 order', 'R4 restart'],
  }),
  scenario({
    name: 'requests without an answer',
    rows: A,
    transactions: [transaction('D', [del('a')]), transaction('I', [put('a', 'new')])],
    faults: { ...once, noAnswer: 1 },
    finds: ['R6 known fate'],
  }),
  scenario({
    name: 'a row changes its key and moves to a block already read',
    rows: [{ key: 'a', value: 'old', block: 1 }],
    transactions: [transaction('K', [del('a'), put('b', 'moved', 0)], { lags: true })],
    blocks: 2,
    faults: { ...once, crash: 1 },
    finds: ['R3 deletes again'],
  }),
  scenario({
    name: 'TRUNCATE and the same rows again in one transaction',
    rows: A,
    transactions: [transaction('T', [put('a', 'again')], { truncate: true, lags: true }), transaction('U', [put('a', 'newer')])],
    faults: { ...once, crash: 1, reconnect: 1 },
    finds: ['R7 truncate below'],
  }),
  scenario({
    name: 'an update that must be looked up, then a delete',
    rows: A,
    transactions: [transaction('U', [put('a', 'new')], { lookup: true, lags: true }), transaction('D', [del('a')])],
    faults: { ...once, crash: 1 },
    finds: ['lookup visible', 'lookup fence'],
  }),
];
