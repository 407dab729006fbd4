import type { IgnoredField } from '../core/audit-report.ts';
import type { SequencedIds } from '../phases/audit-ports.ts';
import { type Pit, repeated } from './pit.ts';
import { assertWhole } from './raw-hits.ts';

const MAX_FIELDS = 50;
const IDS_SHOWN = 10;
const IDS_PER_PAGE = 1_000;
/** `index.max_result_window` unless somebody changed it. */
const LARGEST_SAMPLE = 10_000;
/** Stands for all of them where the server cannot tell the fields apart. */
const ANY_FIELD = '_ignored';

/** Which fields were left out of the search structures, in how many documents, with a few of their ids; the most frequent 50. */
export async function ignoredFields(pit: Pit): Promise<readonly IgnoredField[]> {
  const fields = (await ignoredByField(pit)) ?? (await ignoredAtAll(pit));
  const found: IgnoredField[] = [];
  for (const { field, documents, query } of fields) {
    const { hits } = await ask(pit, { size: IDS_SHOWN, _source: false, query });
    found.push({ field, documents, ids: hits.hits.map(({ _id: id }) => id) });
  }
  return found;
}

/** The ids of `count` documents (at most 10,000), chosen by the seed; the same again on the same point in time. */
export async function randomIds(pit: Pit, count: number, seed: number): Promise<readonly string[]> {
  if (count === 0) return [];
  // By `_seq_no`, because a score by `_id` would load all ids into memory (docs/servers.md E34).
  const query = { function_score: { random_score: { seed, field: '_seq_no' }, boost_mode: 'replace' } };
  const { hits } = await ask(pit, { size: Math.min(count, LARGEST_SAMPLE), _source: false, track_total_hits: false, query });
  return hits.hits.map(({ _id: id }) => id);
}

/** The ids of all documents whose sequence number is at least `seqNo`, in the order of the numbers (each shard has its own, so some come in several). */
export async function* fromSequence(pit: Pit, seqNo: bigint): AsyncGenerator<SequencedIds> {
  const query = { range: { _seq_no: { gte: Number(seqNo) } } };
  const sort = [{ _seq_no: 'asc' }, { _shard_doc: 'asc' }];
  let atLast = 0;
  for (let after: readonly number[] | null = null; ; ) {
    const body = { size: IDS_PER_PAGE, _source: false, track_total_hits: false, query, sort, ...(after === null ? {} : { search_after: after }) };
    const hits: readonly Hit[] = (await ask(pit, body)).hits.hits;
    const last = hits.at(-1)?.sort;
    if (last === undefined) return;
    const same = hits.filter((hit) => hit.sort?.[0] === last[0]).length;
    atLast = same === hits.length && after?.[0] === last[0] ? atLast + same : same;
    yield { ids: hits.map(({ _id: id }) => id), lastSeqNo: BigInt(last[0] ?? 0), atLast };
    if (hits.length < IDS_PER_PAGE) return;
    after = last;
  }
}

interface Hit {
  readonly _id: string;
  readonly sort?: readonly number[];
}

interface Answer {
  readonly pit_id?: string;
  readonly _shards: unknown;
  readonly timed_out: unknown;
  readonly hits: { readonly total?: { readonly value: number }; readonly hits: readonly Hit[] };
  readonly aggregations?: { readonly fields: { readonly buckets: readonly { readonly key: string; readonly doc_count: number }[] } };
}

interface Counted {
  readonly field: string;
  readonly documents: number;
  readonly query: object;
}

/** Null on servers before 8.15, which cannot aggregate on `_ignored` and refuse it. */
async function ignoredByField(pit: Pit): Promise<readonly Counted[] | null> {
  const aggregation = { size: 0, track_total_hits: false, aggs: { fields: { terms: { field: '_ignored', size: MAX_FIELDS } } } };
  const answer = await askUnless(pit, aggregation, [400]);
  if (answer === null) return null;
  const buckets = answer.aggregations?.fields.buckets ?? [];
  return buckets.map(({ key, doc_count: documents }) => ({ field: key, documents, query: { term: { _ignored: key } } }));
}

async function ignoredAtAll(pit: Pit): Promise<readonly Counted[]> {
  const query = { exists: { field: '_ignored' } };
  const documents = (await ask(pit, { size: 0, track_total_hits: true, query })).hits.total?.value ?? 0;
  return documents === 0 ? [] : [{ field: ANY_FIELD, documents, query }];
}

async function ask(pit: Pit, body: object): Promise<Answer> {
  const answer = await askUnless(pit, body, []);
  if (answer === null) throw new RangeError('BUG: no status was allowed to be an answer');
  return answer;
}

/** Ids and counts only, so the plain parser loses nothing. Null for one of the statuses. */
async function askUnless(pit: Pit, body: object, statuses: readonly number[]): Promise<Answer | null> {
  return repeated(pit, async () => {
    const request = { what: `reading ${pit.index}`, method: 'POST', path: '/_search', query: { allow_partial_search_results: 'false' } } as const;
    const json = await pit.http.json({ ...request, body: { ...body, pit: { id: pit.id, keep_alive: pit.keepAlive } } }, statuses);
    if (json === null) return null;
    const answer = json as Answer;
    assertWhole(answer._shards, answer.timed_out);
    pit.id = answer.pit_id ?? pit.id;
    return answer;
  });
}
