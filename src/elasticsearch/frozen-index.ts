import { Failure } from '../core/failure.ts';
import type { FrozenIndex, ScannedDocument } from '../phases/sink-ports.ts';
import type { Http } from './connect.ts';
import { failureOf, serverError } from './error-kinds.ts';
import { fromSequence, ignoredFields, randomIds } from './frozen-facts.ts';
import { mergePages } from './merge-pages.ts';
import { type Pit, repeated } from './pit.ts';
import { assertWhole, type HitPage, readHits } from './raw-hits.ts';

const KEEP_ALIVE = '15m';
const SLICES = 2;
/** What a page aims at; a scan holds two pages of each slice in memory. */
const PAGE_BYTES = 1 << 20;
/** An answer that grows beyond is thrown away and asked for again with fewer documents. */
const PAGE_LIMIT_BYTES = 32 << 20;
const FIRST_PAGE = 200;
const LARGEST_PAGE = 5_000;
const IDS_PER_PAGE = 500;
/** Reading is safe to repeat: a cut connection must not cost a whole comparison. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000, 15_000];

/** Opens a point in time on the index; throws `target-vanished`, `sink-overloaded` if a shard is missing. Reads are repeated after each of the pauses. */
export async function freeze(http: Http, index: string, retryPausesMs: readonly number[] = RETRY_PAUSES_MS): Promise<FrozenIndex> {
  const path = `/${encodeURIComponent(index)}/_pit`;
  const answer = await http.json({ what: `freezing ${index}`, method: 'POST', path, query: { keep_alive: KEEP_ALIVE } });
  const { id, _shards: shards } = answer as { readonly id: string; readonly _shards?: unknown };
  if (shards !== undefined) assertWhole(shards, false);
  const pit: Pit = { http, index, retryPausesMs, keepAlive: KEEP_ALIVE, id };
  return {
    count: () => count(pit),
    scan: () => scan(pit),
    byIds: (ids) => byIds(pit, ids),
    ignored: () => ignoredFields(pit),
    fromSequence: (seqNo) => fromSequence(pit, seqNo),
    randomIds: (wanted, seed) => randomIds(pit, wanted, seed),
    close: () => closePit(pit),
  };
}

async function count(pit: Pit): Promise<number> {
  const page = await searchPage(pit, 0, '"track_total_hits":true');
  if (page === 'too-large' || page.total === null) throw new SyntaxError('the answer of a count has no total');
  return page.total;
}

/** Checks at its end that the slices together gave as many documents as there are: some slicings silently give none (docs/servers.md E30). */
async function* scan(pit: Pit): AsyncGenerator<readonly ScannedDocument[]> {
  let seen = 0;
  const slices = Array.from({ length: SLICES }, (_, slice) => scanSlice(pit, slice));
  for await (const page of mergePages(slices)) {
    seen += page.length;
    yield page;
  }
  const total = await count(pit);
  if (seen === total) return;
  throw new Failure('sink-refused', `the scan of ${pit.index} gave ${seen} documents of ${total}`, {
    hint: 'Run the same command again; if it stays so, report it with the version of Elasticsearch.',
  });
}

async function* scanSlice(pit: Pit, slice: number): AsyncGenerator<readonly ScannedDocument[]> {
  let size = FIRST_PAGE;
  let after = '';
  for (;;) {
    const page = await searchPage(pit, size, `"slice":{"id":${slice},"max":${SLICES}},${AS_STORED}${after}`);
    if (page === 'too-large') {
      size = smaller(size);
      continue;
    }
    if (page.documents.length > 0) yield page.documents;
    if (page.documents.length < size) return;
    after = `,"search_after":${page.searchAfter}`;
    size = nextSize(size, page.documents);
  }
}

/** Source bytes and version of each hit, in the order that costs least. No filter of any kind: filters re-render numbers (docs/servers.md E31). */
const AS_STORED = '"sort":["_shard_doc"],"version":true,"track_total_hits":false';

async function byIds(pit: Pit, ids: readonly string[]): Promise<readonly ScannedDocument[]> {
  const found: ScannedDocument[] = [];
  // Elasticsearch refuses to be asked for an empty id, which no document can have; a rejected row can.
  const distinct = [...new Set(ids)].filter((id) => id !== '');
  let size = IDS_PER_PAGE;
  let spare = 0;
  for (let at = 0; at < distinct.length; ) {
    const some = distinct.slice(at, at + size);
    // One more than there are ids: documents with one id and different routings (docs/servers.md E7) would fill the page and push others out of it.
    const page = await searchPage(pit, some.length + 1 + spare, `"query":{"ids":{"values":${JSON.stringify(some)}}},${AS_STORED}`, some.length > 1);
    if (page === 'too-large') {
      size = smaller(some.length);
      continue;
    }
    if (page.documents.length > some.length + spare) {
      spare = spare * 2 + some.length;
      continue;
    }
    found.push(...page.documents);
    at += some.length;
  }
  return found;
}

async function closePit(pit: Pit): Promise<void> {
  await pit.http.json({ what: `letting go of ${pit.index}`, method: 'DELETE', path: '/_pit', body: { id: pit.id } }, [404]);
}

/** One document alone (`limited: false`) is taken whatever its size. */
async function searchPage(pit: Pit, size: number, rest: string, limited = size > 1): Promise<HitPage | 'too-large'> {
  return repeated(pit, () => searchOnce(pit, size, rest, limited));
}

async function searchOnce(pit: Pit, size: number, rest: string, limited: boolean): Promise<HitPage | 'too-large'> {
  const what = `reading ${pit.index}`;
  const answer = await pit.http.send({
    what,
    method: 'POST',
    path: '/_search',
    query: { allow_partial_search_results: 'false' },
    // Assembled as text: `search_after` goes back digit by digit as it came.
    body: `{"pit":{"id":${JSON.stringify(pit.id)},"keep_alive":"${KEEP_ALIVE}"},"size":${size},${rest}}`,
    ...(limited ? { maxBytes: PAGE_LIMIT_BYTES } : {}),
  });
  if (answer.body === null) return 'too-large';
  if (answer.status >= 300) throw failureOf(serverError(answer.status, answer.body.toString('utf8')), what, false);
  const page = readAnswer(answer.body, what);
  pit.id = page.pitId ?? pit.id;
  return page;
}

function readAnswer(body: Buffer, what: string): HitPage {
  try {
    return readHits(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Failure('connection-lost', `${what} failed: the answer is not whole`, {
      hint: 'A proxy may have cut the answer; run the same command again.',
      cause: error,
    });
  }
}

/** Grows at most fourfold, as the next documents may be larger than these. */
function nextSize(size: number, documents: readonly ScannedDocument[]): number {
  const bytes = documents.reduce((sum, document) => sum + document.source.length, 1);
  const fitting = Math.floor((PAGE_BYTES * documents.length) / bytes);
  return Math.max(1, Math.min(fitting, size * 4, LARGEST_PAGE));
}

function smaller(size: number): number {
  return Math.max(1, Math.floor(size / 8));
}
