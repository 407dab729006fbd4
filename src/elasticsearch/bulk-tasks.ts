import { Failure } from '../core/failure.ts';
import type { Http } from './connect.ts';

interface Task {
  readonly action: string;
  readonly description?: string;
  readonly headers?: { readonly [name: string]: string };
}

/**
 * How many bulk tasks run on the index, under its name or one of its aliases: the request itself names what the client wrote to, its shard
 * parts the concrete index. A dead client's bulk goes on in the server and may bring back what was deleted meanwhile (docs/servers.md E5).
 */
export async function runningBulkTasks(http: Http, index: string): Promise<number> {
  const names = await namesOf(http, index);
  return (await bulkTasks(http)).filter((task) => mentions(task.description ?? '', names)).length;
}

/** How many tasks of these requests (by X-Opaque-Id, which the parts of a request on each shard carry too) still run. */
export async function runningRequests(http: Http, requests: readonly string[]): Promise<number> {
  const wanted = new Set(requests);
  return (await bulkTasks(http)).filter((task) => wanted.has(task.headers?.['X-Opaque-Id'] ?? '')).length;
}

async function bulkTasks(http: Http): Promise<readonly Task[]> {
  const answer = await http.json({
    what: 'listing running bulk tasks',
    method: 'GET',
    path: '/_tasks',
    query: { actions: 'indices:data/write/bulk*', detailed: 'true', group_by: 'none' },
  });
  const {
    tasks,
    node_failures: lost,
    task_failures: failed,
  } = answer as { readonly tasks: readonly Task[]; readonly node_failures?: unknown; readonly task_failures?: unknown };
  if (lost !== undefined || failed !== undefined)
    throw new Failure('sink-overloaded', 'not every node told its running tasks', { hint: 'See GET _cat/nodes; run the same command again.' });
  return tasks;
}

/** The index and its aliases. */
async function namesOf(http: Http, index: string): Promise<ReadonlySet<string>> {
  const answer = await http.json({ what: `reading the aliases of ${index}`, method: 'GET', path: `/${encodeURIComponent(index)}/_alias` }, [404]);
  const aliases = (answer as { readonly [index: string]: { readonly aliases: object } } | null)?.[index]?.aliases ?? {};
  return new Set([index, ...Object.keys(aliases)]);
}

/** Descriptions look like `requests[500], indices[a, b]` and `requests[500], index[[a][0]]`. */
function mentions(description: string, names: ReadonlySet<string>): boolean {
  return description.split(/[[\], ]+/).some((word) => names.has(word));
}
