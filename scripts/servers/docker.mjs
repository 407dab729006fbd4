import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';
import { run } from './os-process.mjs';

const FILE = fileURLToPath(new URL('../../docker-compose.yml', import.meta.url));

/** A client without an engine is common: only an engine that answers counts. */
export const dockerAnswers = () => spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { stdio: 'ignore', timeout: 5000 }).status === 0;

const projectOf = (instance) => `realign-${instance}`;
const compose = (instance, ...args) => ['compose', '--project-name', projectOf(instance), '--file', FILE, ...args];

/** The same two servers as containers; extra settings and several nodes are for the local way only. */
export async function dockerUp(wanted, say) {
  if (wanted.esNodes !== 1 || wanted.pgSettings.length > 0 || wanted.esSettings.length > 0) {
    throw new Error('ES_NODES, PG_SETTINGS and ES_SETTINGS work without Docker only: add SERVICES=local');
  }
  const [pgPort, esPort] = [await freePort(wanted.pgPort, 'PG_PORT'), await freePort(wanted.esPort, 'ES_PORT')];
  Object.assign(process.env, {
    PG_VERSION: wanted.pgVersion,
    ES_VERSION: wanted.esVersion,
    PG_PORT: pgPort,
    ES_PORT: esPort,
    ES_HEAP: wanted.esHeap,
  });
  say(`Docker: starting ${projectOf(wanted.instance)}`);
  await run('docker', compose(wanted.instance, 'up', '--detach', '--wait'), { cwd: join(FILE, '..') });
  return {
    runtime: 'docker',
    complete: true,
    instance: wanted.instance,
    processes: [],
    postgres: { version: wanted.pgVersion, port: pgPort, url: `postgres://postgres:postgres@127.0.0.1:${pgPort}/postgres` },
    elasticsearch: { version: wanted.esVersion, nodes: 1, url: `http://127.0.0.1:${esPort}`, urls: [`http://127.0.0.1:${esPort}`] },
  };
}

export function dockerDown(state) {
  const answer = spawnSync('docker', compose(state.instance, 'down', '--volumes', '--timeout', '10'), { stdio: 'inherit' });
  if (answer.status !== 0) throw new Error(`docker compose down ended with ${answer.status}`);
}
