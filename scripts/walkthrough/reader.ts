import { setTimeout as pause } from 'node:timers/promises';
import { elasticsearch } from './servers.ts';

export interface ReaderSight {
  searches: number;
  /** What went wrong, by message. */
  failures: Map<string, number>;
  fewestHits: number;
  mostHits: number;
  slowestMs: number;
  /** The concrete indices that answered, in the order first seen. */
  indices: string[];
}

export interface Reader {
  readonly sight: Readonly<ReaderSight>;
  stop(): Promise<void>;
}

interface SearchAnswer {
  readonly timed_out: boolean;
  readonly _shards: { readonly failed: number };
  readonly hits: { readonly total: { readonly value: number }; readonly hits: readonly { readonly _index: string }[] };
}

const QUERY = { size: 3, track_total_hits: true, query: { match: { name: 'san' } } };
const SEARCHES_PER_SECOND = 50;

async function searchOnce(alias: string, sight: ReaderSight): Promise<void> {
  const begin = performance.now();
  const answer = await elasticsearch<SearchAnswer>('POST', `/${alias}/_search`, QUERY);
  if (answer.timed_out || answer._shards.failed > 0) throw new Error('a partial answer');
  const hits = answer.hits.total.value;
  sight.fewestHits = Math.min(sight.fewestHits, hits);
  sight.mostHits = Math.max(sight.mostHits, hits);
  sight.slowestMs = Math.max(sight.slowestMs, performance.now() - begin);
  for (const { _index } of answer.hits.hits) if (!sight.indices.includes(_index)) sight.indices.push(_index);
}

/** Searches the alias in a loop, as users of the site do; a failure is counted, not thrown. */
export function startReader(alias: string): Reader {
  const sight: ReaderSight = { searches: 0, failures: new Map(), fewestHits: Number.POSITIVE_INFINITY, mostHits: 0, slowestMs: 0, indices: [] };
  let running = true;
  const attempt = async (): Promise<void> => {
    sight.searches += 1;
    try {
      await searchOnce(alias, sight);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      sight.failures.set(message, (sight.failures.get(message) ?? 0) + 1);
    }
  };
  const work = (async (): Promise<void> => {
    while (running) await Promise.all([attempt(), pause(1000 / SEARCHES_PER_SECOND)]);
  })();
  const stop = (): Promise<void> => {
    running = false;
    return work;
  };
  return { sight, stop };
}
