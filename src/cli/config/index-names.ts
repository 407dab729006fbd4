/** What is wrong with an alias name, or null. The rules of Elasticsearch for index names, so that no wildcard ever reaches a delete. */
export function aliasProblem(alias: string): string | null {
  if (alias === '') return 'an alias needs a name';
  if (/[\\/*?"<>| ,#:]/.test(alias)) return 'none of \\ / * ? " < > | , # : and no space may be in an alias name';
  if (/^[-_+.]/.test(alias)) return 'an alias name does not start with -, _, + or .';
  if (alias === '_all') return '_all is every index';
  // The generation adds `-YYYYMMDDtHHMMSS-xxxx` (21 bytes); an index name has at most 255.
  return Buffer.byteLength(alias) > 220 ? 'longer than 220 bytes' : null;
}

const PART = '(?:"(?:[^"]|"")+"|[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)';
const TABLE = new RegExp(`^(?:${PART}\\.)?${PART}$`);

/** What is wrong with a table name as written, or null. Whether the table exists is the preflight's question. */
export function tableProblem(table: string): string | null {
  return TABLE.test(table) ? null : `expected schema.table, quoted as in SQL where needed ('"Odd Schema"."Table"'), not ${JSON.stringify(table)}`;
}
