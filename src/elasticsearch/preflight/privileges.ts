import type { Finding } from '../../core/finding.ts';
import type { SinkPreflightRequest } from '../../phases/sink-ports.ts';
import type { Http } from '../connect.ts';
import { fail, ok } from './findings.ts';

const NEEDED = ['create_index', 'read', 'write', 'view_index_metadata', 'maintenance', 'manage', 'delete_index'];

interface Granted {
  readonly has_all_requested: boolean;
  readonly cluster: { readonly [privilege: string]: boolean };
  readonly index: { readonly [name: string]: { readonly [privilege: string]: boolean } };
}

/** Asks before the work: a 403 at the swap, hours later, is the worst moment (docs/servers.md E36). Nothing to say without security. */
export async function checkPrivileges(http: Http, request: SinkPreflightRequest): Promise<readonly Finding[]> {
  const body = { cluster: ['monitor'], index: [{ names: [request.alias, request.index], privileges: NEEDED }] };
  const answer = await http.json({ what: 'asking for privileges', method: 'POST', path: '/_security/user/_has_privileges', body }, [400, 404, 405]);
  if (answer === null) return [];
  const missing = missingOf(answer as Granted);
  if (missing.length === 0) return [ok('privileges', 'all needed privileges are granted')];
  return [
    fail(
      'privileges',
      `missing privileges: ${missing.join('; ')}`,
      `realign init ${request.alias} --print-es-role   (prints the role to give to this user)`,
    ),
  ];
}

function missingOf(granted: Granted): readonly string[] {
  const perIndex = Object.entries(granted.index).map(([name, has]) => [name, lacking(has)] as const);
  return [['cluster', lacking(granted.cluster)] as const, ...perIndex]
    .filter(([, names]) => names.length > 0)
    .map(([name, names]) => `${names.join(', ')} on ${name}`);
}

function lacking(has: { readonly [privilege: string]: boolean }): readonly string[] {
  return Object.keys(has).filter((privilege) => has[privilege] === false);
}
