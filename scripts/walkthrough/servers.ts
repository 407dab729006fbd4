import pg from 'pg';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set: run scripts/demo, which starts the servers`);
  return value;
}

export const DATABASE_URL = required('DATABASE_URL');
const ELASTICSEARCH_URL = required('ELASTICSEARCH_URL');

/** A session of its own for each role, as real applications have. */
export async function connect(name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: DATABASE_URL, application_name: name });
  await client.connect();
  return client;
}

/** One HTTP call; anything but a 2xx throws. */
export async function elasticsearch<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${ELASTICSEARCH_URL}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: HTTP ${answer.status} ${(await answer.text()).slice(0, 200)}`);
  return (await answer.json()) as T;
}
