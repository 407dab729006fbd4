/** What people write instead, each a process of its own: `node rivals.js script|offset DATABASE_URL ELASTICSEARCH_URL INDEX`. */
import { Client as Elasticsearch } from '@elastic/elasticsearch';
import pg from 'pg';
import QueryStream from 'pg-query-stream';

const PAGE = 1000;

interface Product {
  readonly id: string;
}

/** (c) rows as objects from a cursor into the client's bulk helper. */
async function script(client: pg.Client, elasticsearch: Elasticsearch, index: string): Promise<void> {
  const stream = client.query(new QueryStream('select * from products', [], { batchSize: PAGE }));
  await elasticsearch.helpers.bulk<Product>({
    datasource: stream,
    onDocument: (document) => ({ index: { _index: index, _id: document.id } }),
    onDrop: () => {
      throw new Error('a document was dropped');
    },
  });
}

/** (d) one page after the other by OFFSET, one bulk at a time. */
async function offset(client: pg.Client, elasticsearch: Elasticsearch, index: string): Promise<void> {
  for (let from = 0; ; from += PAGE) {
    const { rows } = await client.query<Product>('select * from products order by id limit $1 offset $2', [PAGE, from]);
    if (rows.length === 0) return;
    await elasticsearch.bulk({ operations: rows.flatMap((row) => [{ index: { _index: index, _id: row.id } }, row]) });
  }
}

const [name, databaseUrl, elasticsearchUrl, index = ''] = process.argv.slice(2);
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
const elasticsearch = new Elasticsearch({ node: elasticsearchUrl ?? '' });
if (name === 'offset') await offset(client, elasticsearch, index);
else await script(client, elasticsearch, index);
await client.end();
await elasticsearch.close();
