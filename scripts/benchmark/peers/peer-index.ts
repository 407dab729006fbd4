import { elasticsearch } from '../../../test/support/servers.ts';

/** An index as the other cases have it: no replicas, no refresh meanwhile; with the aliases. */
export async function makePeerIndex(index: string, mappings: unknown, shards: number, ...aliases: readonly string[]): Promise<void> {
  await elasticsearch('DELETE', `/${index}`);
  const settings = { number_of_shards: shards, number_of_replicas: 0, refresh_interval: '-1' };
  const body = { mappings, settings, aliases: Object.fromEntries(aliases.map((alias) => [alias, {}])) };
  const { status, text } = await elasticsearch('PUT', `/${index}`, body);
  if (status !== 200) throw new Error(`making ${index}: ${status} ${text.slice(0, 500)}`);
}

/** Throws unless so many match the query string; refreshes first. */
export async function requireDocuments(index: string, rows: number, query: string): Promise<void> {
  await elasticsearch('POST', `/${index}/_refresh`);
  const { json } = await elasticsearch('GET', `/${index}/_count?q=${encodeURIComponent(query)}`);
  const documents = Number(json?.count ?? 0);
  if (documents !== rows) throw new Error(`${index} has ${documents} documents of ${rows} (${query})`);
}
