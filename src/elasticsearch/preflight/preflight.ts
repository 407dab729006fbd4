import { Failure } from '../../core/failure.ts';
import type { Finding } from '../../core/finding.ts';
import type { SinkPreflightRequest } from '../../phases/sink-ports.ts';
import type { Http } from '../connect.ts';
import { checkAlias } from './alias-state.ts';
import { checkCluster, readClusterSettings } from './cluster.ts';
import { checkDisk } from './disk.ts';
import { fail } from './findings.ts';
import { checkIndexBody } from './index-body.ts';
import { checkPrivileges } from './privileges.ts';
import { checkTemplates } from './template.ts';

/** Every check of the sink that needs no write; all findings at once. Throws only if the server cannot be reached. */
export async function preflight(http: Http, request: SinkPreflightRequest): Promise<readonly Finding[]> {
  const checks: readonly (readonly [string, () => Promise<readonly Finding[]>])[] = [
    ['cluster', async () => clusterFindings(http, request)],
    ['privileges', () => checkPrivileges(http, request)],
    ['alias-state', () => checkAlias(http, request)],
    ['templates', () => checkTemplates(http, request)],
    ['mapping', () => checkIndexBody(http, request)],
  ];
  const findings: Finding[] = [];
  for (const [code, check] of checks) findings.push(...(await orDenied(code, check)));
  return findings;
}

async function clusterFindings(http: Http, request: SinkPreflightRequest): Promise<readonly Finding[]> {
  const cluster = await readClusterSettings(http);
  return [...(await checkCluster(http, request, cluster)), ...(await checkDisk(http, request, cluster))];
}

/** A missing privilege for one check must not hide what the others see. */
async function orDenied(code: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'denied') throw error;
    return [fail(code, error.message, error.hint ?? '')];
  }
}
