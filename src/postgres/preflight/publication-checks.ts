import { isTrue, query, type TextRow, textOf } from '../connect.ts';
import { quoteIdentifier } from '../quote.ts';
import { fail, ok, tableCheck } from './check.ts';

/** CREATE PUBLICATION needs CREATE on the database and ownership of the table (docs/servers.md P32). */
export const checkPublicationPrivileges = tableCheck(async ({ session, relation, config, tableText }) => {
  const rows = await query(
    session,
    { doing: 'reading privileges' },
    `select has_database_privilege(current_database(), 'CREATE') as may_create, current_database() as database,
       (select pg_has_role(c.relowner, 'USAGE') from pg_class c where c.oid = $1) as owner, (select pg_get_userbyid(relowner) from pg_class where oid = $1) as owner_name,
       (select r.rolsuper from pg_class c join pg_roles r on r.oid = c.relowner where c.oid = $1) as owner_is_super`,
    [relation.oid],
  );
  const user = quoteIdentifier(config.user);
  const findings = [];
  if (!isTrue(rows[0], 'may_create')) {
    const database = textOf(rows[0], 'database');
    findings.push(
      fail(
        'database-create',
        `${config.user} may not create a publication in ${database}`,
        `grant create on database ${quoteIdentifier(database)} to ${user};`,
      ),
    );
  }
  if (!isTrue(rows[0], 'owner')) {
    findings.push(fail('table-owner', `${config.user} does not own ${tableText}, so it cannot publish it`, ownerFix(rows[0], user, tableText)));
  }
  return findings.length > 0 ? findings : [ok('publication', `${config.user} may publish ${tableText}`)];
});

/** A member of a superuser may do everything: such a table is given to a role of its own first. */
function ownerFix(row: TextRow | undefined, user: string, tableText: string): string {
  const owner = quoteIdentifier(textOf(row, 'owner_name'));
  if (!isTrue(row, 'owner_is_super')) return `grant ${owner} to ${user};`;
  return `create role table_owner; alter table ${tableText} owner to table_owner; grant table_owner to ${user};   (${owner} is a superuser: not to be granted)`;
}
