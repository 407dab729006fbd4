import type { Sink } from '../../src/phases/sink-ports.ts';
import { elasticsearch, uniqueName } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';

/** One operation of a bulk as it went over the wire. */
export interface SentOperation {
  readonly kind: 'index' | 'delete';
  readonly id: string;
  readonly routing: string | null;
  readonly version: bigint;
}

/** Reads the action lines of a bulk body with its own few lines of code. */
export function operationsOf(body: Buffer): readonly SentOperation[] {
  const lines = body.toString('utf8').split('\n');
  const operations: SentOperation[] = [];
  for (let i = 0; i < lines.length; i++) {
    const match = /^\{"(index|delete)":\{"_id":"((?:[^"\\]|\\.)*)"(?:,"routing":"((?:[^"\\]|\\.)*)")?,"version":"?(\d+)/.exec(lines[i] ?? '');
    if (match === null) continue;
    const [, kind, id, routing, version = '0'] = match;
    const textOf = (escaped: string): string => JSON.parse(`"${escaped}"`) as string;
    operations.push({
      kind: kind as 'index' | 'delete',
      id: textOf(id ?? ''),
      routing: routing === undefined ? null : textOf(routing),
      version: BigInt(version),
    });
    if (match[1] === 'index') i++;
  }
  return operations;
}

type Interceptor = (operations: readonly SentOperation[]) => Promise<void>;

/** A sink whose bulks are looked at before and after they are sent. */
export function interceptBulks(sink: Sink, hooks: { readonly before?: Interceptor; readonly after?: Interceptor }): Sink {
  return {
    ...sink,
    bulk: async (alias, body) => {
      const operations = operationsOf(Buffer.from(body.bytes()));
      await hooks.before?.(operations);
      const answer = await sink.bulk(alias, body);
      await hooks.after?.(operations);
      return answer;
    },
  };
}

/**
 * Makes Elasticsearch forget every delete so far: shortens `gc_deletes`, then waits until the tombstone of a younger delete is proved to be gone (an older version of
 * it is accepted again), and removes that probe. Of an index that requires a routing, in the shard of this one.
 */
export async function expireTombstones(index: string, routing?: string): Promise<void> {
  const where = routing === undefined ? '' : `&routing=${encodeURIComponent(routing)}`;
  await elasticsearch('PUT', `/${index}/_settings`, { index: { gc_deletes: '1ms' } });
  const probe = uniqueName('probe');
  await expectStatus('PUT', `/${index}/_doc/${probe}?version=10&version_type=external${where}`, {});
  await expectStatus('DELETE', `/${index}/_doc/${probe}?version=11&version_type=external${where}`);
  await waitFor('the tombstones to expire', async () => {
    const { status } = await elasticsearch('PUT', `/${index}/_doc/${probe}?version=9&version_type=external${where}`, {});
    return status === 201;
  });
  await expectStatus('DELETE', `/${index}/_doc/${probe}?version=12&version_type=external${where}`);
}

async function expectStatus(method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await elasticsearch(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
}
