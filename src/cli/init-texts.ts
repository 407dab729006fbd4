import { stringify } from 'yaml';
import { fieldMappingOf } from '../core/plan/field-type.ts';
import { indexPrefix } from '../core/plan/names.ts';
import type { SourceTable } from '../core/table.ts';

export interface TemplateRequest {
  readonly alias: string;
  /** The table as written. */
  readonly written: string;
  /** What the catalog says of it; null: nobody was asked. */
  readonly table: SourceTable | null;
}

/** A config with one index, and with what could be said besides as comments. */
export function configTemplate({ alias, written, table }: TemplateRequest): string {
  return `# yaml-language-server: $schema=./node_modules/realign/schema/config.v1.json
version: 1
postgres:
  url: \${DATABASE_URL}                       # or host, port, database, user; the PG* variables are the defaults
  # passwordFile: /run/secrets/pg_password
  # sslrootcert: ./certs/pg-ca.pem          # sslmode is verify-full for hosts that are not local
elasticsearch:
  url: \${ELASTICSEARCH_URL}                  # one, or a list
  # apiKeyFile: /run/secrets/es_api_key     # or username and passwordFile
  # caFile: ./certs/es-ca.pem
# defaults:
#   keep: 1                                 # older generations for going back
#   verify: { mode: full, sample: 10000 }
#   limits: { slotWal: 20GiB, stall: 15m }
#   maxRejects: 0
indices:
  ${scalar(alias)}:                         # the alias that readers use
    table: ${scalar(written)}
    # columns: { include: "*", exclude: [] }
    # settings: { number_of_shards: 1, number_of_replicas: 1 }
${fieldComments(table)}# hooks:
#   beforeSwap: ./ops/smoke-test.sh         # non-zero exit: no swap
#   webhook: { url: "\${SLACK_WEBHOOK}", on: [failed, held, drift] }
# metrics: { textfile: /var/lib/node_exporter/realign.prom }
`;
}

/** What would be inferred, ready to be changed. */
function fieldComments(table: SourceTable | null): string {
  if (table === null) return '';
  const width = Math.max(...table.columns.map(({ name }) => JSON.stringify(name).length));
  const lines = table.columns.map((column) => {
    const mapping = JSON.stringify(fieldMappingOf(column));
    return `    #   ${`${JSON.stringify(column.name)}:`.padEnd(width + 1)} ${mapping}   # ${JSON.stringify(column.typeName).slice(1, -1)}\n`;
  });
  const key = table.key.length === 0 ? '    # The table has no primary key, and the _id needs one.\n' : '';
  return `${key}    # fields:                               # instead of the inferred mapping of a field; this is what is inferred\n${lines.join('')}`;
}

function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trim();
}

/** SQL for an administrator: a role of its own with what a build needs and no more. The table is as written, and is looked up by the server. */
export function grantSql(written: string): string {
  const literal = `'${written.replaceAll("'", "''")}'`;
  return `-- Run by an administrator in the database of the table. Then give the role a password: \\password realign
create role realign login replication;   -- RDS: without "replication", then: grant rds_replication to realign;
do $grants$
declare
  wanted regclass := ${literal};
  owner regrole := (select relowner from pg_class where oid = wanted);
begin
  -- Only the owner of a table can publish it, so the role becomes a member of the owner; of a superuser it must not.
  if (select rolsuper from pg_roles where oid = owner) then
    raise exception '% belongs to the superuser %; give it to a role of its own first: alter table % owner to ...', wanted, owner, wanted;
  end if;
  execute format('grant create on database %I to realign', current_database());
  execute format('grant usage on schema %s to realign', (select relnamespace::regnamespace from pg_class where oid = wanted));
  execute format('grant select on table %s to realign', wanted);
  execute format('grant %s to realign', owner);
end
$grants$;
-- The server needs wal_level = logical (a restart), two free slots and two free walsenders; pg_hba.conf must allow realign for this database and for
-- replication connections. REPLICATION sees every published change: allow it from the job's hosts only.
`;
}

/** The body of PUT _security/role/realign, or the role_descriptors of an API key. Generations have lower-case names, whatever the alias has. */
export function esRole(alias: string): string {
  const privileges = ['create_index', 'read', 'write', 'view_index_metadata', 'maintenance', 'manage', 'delete_index'];
  return `${JSON.stringify({ cluster: ['monitor'], indices: [{ names: [alias, `${indexPrefix(alias)}*`], privileges }] }, null, 2)}\n`;
}
