import { elasticsearch } from '../../../test/support/servers.ts';

/** An index as the other cases have it: no replicas, no refresh meanwhile. */
export async function makePeerIndex(index: string, mappings: unknown, shards: number): Promise<void> {
  await elasticsearch('DELETE', `/${index}`);
  const settings = { number_of_shards: shards, number_of_replicas: 0, refresh_interval: '-1' };
  const { status, text } = await elasticsearch('PUT', `/${index}`, { mappings, settings });
  if (status !== 200) throw new Error(`making ${index}: ${status} ${text.slice(0, 500)}`);
}

/** Those that match the query string; refreshes first. */
export async function countDocuments(index: string, query: string): Promise<number> {
  await elasticsearch('POST', `/${index}/_refresh`);
  const { json } = await elasticsearch('GET', `/${index}/_count?q=${encodeURIComponent(query)}`);
  return Number(json?.count ?? 0);
}
