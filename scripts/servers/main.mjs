import { dockerAnswers, dockerDown, dockerUp } from './docker.mjs';
import { startElasticsearch, stopElasticsearch } from './elasticsearch.mjs';
import { isRunning, startDetached } from './os-process.mjs';
import { startPostgres, stopPostgres } from './postgres.mjs';
import { settingsFromEnvironment } from './settings.mjs';
import { instanceExists, lockInstance, readState, removeDownloads, removeInstance, writeState } from './state.mjs';

const USAGE = `usage: scripts/services up | down [--purge] | env | status | revive

  up      starts PostgreSQL and Elasticsearch and returns when both answer; does nothing when they run
  down    ends what "up" started and removes its files; --purge removes the downloaded servers too
  env     prints export lines for DATABASE_URL and ELASTICSEARCH_URL:  eval "$(scripts/services env)"
  status  says what runs where
  revive  starts again, on the files they left, those servers of the instance that were killed; does not wait until they answer

Variables: INSTANCE (default "default": state of its own), PG_VERSION 14..18, PG_PORT, PG_SETTINGS "k=v k=v",
ES_VERSION 8.18.8 | 9.0.8, ES_PORT, ES_NODES, ES_HEAP, ES_SETTINGS "k=v k=v"; a port of 0 means any free one.
SERVICES=docker | local overrides the choice (Docker where its engine answers, else programs on this machine).
`;

const say = (text) => process.stderr.write(`${text}\n`);

function describe(state) {
  const { postgres, elasticsearch } = state;
  const nodes = elasticsearch.nodes === 1 ? '' : ` (${elasticsearch.nodes} nodes)`;
  return `PostgreSQL ${postgres.version}\t${postgres.url}\nElasticsearch ${elasticsearch.version}${nodes}\t${elasticsearch.url}`;
}

function allRunning(state) {
  if (state?.complete !== true) return false;
  return state.runtime === 'docker' || state.processes.every(isRunning);
}

/** What runs must be what is asked for: a test that names a version must never run against another one. */
function refuseOtherVersions(state, wanted) {
  const differs = (name, has, wants) => (wants !== undefined && String(has) !== String(wants) ? [`${name} is ${has}, not ${wants}`] : []);
  const { explicit } = wanted;
  const differences = [
    ...differs('PG_VERSION', state.postgres.version, explicit.pgVersion),
    ...differs('ES_VERSION', state.elasticsearch.version, explicit.esVersion),
    ...differs('ES_NODES', state.elasticsearch.nodes, explicit.esNodes),
  ];
  if (differences.length === 0) return;
  throw new Error(
    `instance "${wanted.instance}" runs already, but ${differences.join(', ')}: set INSTANCE=name (with PG_PORT=0 ES_PORT=0) for another one`,
  );
}

async function startLocal(wanted) {
  const processes = [];
  const started = (entry) => {
    processes.push(entry);
    writeState(wanted.instance, { runtime: 'local', complete: false, processes });
  };
  const results = await Promise.allSettled([startPostgres(wanted, started, say), startElasticsearch(wanted, started, say)]);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) {
    await stopLocal({ processes });
    throw failed.reason;
  }
  return { runtime: 'local', complete: true, processes, postgres: results[0].value, elasticsearch: results[1].value };
}

async function stopLocal(state) {
  const of = (kind) => state.processes.filter((entry) => entry.kind === kind);
  await Promise.all([...of('postgres').map(stopPostgres), stopElasticsearch(of('elasticsearch'))]);
}

async function up() {
  const wanted = settingsFromEnvironment(process.env);
  await lockInstance(wanted.instance, async () => {
    const before = readState(wanted.instance);
    if (allRunning(before)) {
      refuseOtherVersions(before, wanted);
      process.stdout.write(`${describe(before)}\n`);
      return;
    }
    // Half of it running, or left by a power cut: end the rest and start clean, so that "up" has one outcome only.
    if (before !== null && before.runtime === 'local') await stopLocal(before);
    removeInstance(wanted.instance);
    const useDocker = wanted.runtime === 'docker' || (wanted.runtime === undefined && dockerAnswers());
    const state = useDocker ? await dockerUp(wanted, say) : await startLocal(wanted);
    writeState(wanted.instance, state);
    process.stdout.write(`${describe(state)}\n`);
  });
}

async function down(purge) {
  const { instance } = settingsFromEnvironment(process.env);
  if (instanceExists(instance)) {
    await lockInstance(instance, async () => {
      const state = readState(instance);
      if (state?.runtime === 'docker') dockerDown(state);
      else if (state !== null) await stopLocal(state);
      removeInstance(instance);
    });
  }
  if (purge) removeDownloads();
}

/** For tests that kill a server: the same command line on the same files, without the clean start of "up". */
async function revive() {
  const { instance } = settingsFromEnvironment(process.env);
  await lockInstance(instance, async () => {
    const state = readState(instance);
    if (state?.runtime !== 'local') throw new Error(`instance "${instance}" does not run as programs of this machine`);
    const pids = new Map();
    const again = async (entry) => {
      if (isRunning(entry)) return entry;
      const identity = await startDetached(entry.launch.command, entry.launch.args, entry.launch.place);
      pids.set(entry.pid, identity.pid);
      return { ...entry, ...identity };
    };
    const processes = await Promise.all(state.processes.map(again));
    const { postgres, elasticsearch } = state;
    const pidOf = (pid) => pids.get(pid) ?? pid;
    writeState(instance, {
      ...state,
      processes,
      postgres: { ...postgres, pid: pidOf(postgres.pid) },
      elasticsearch: { ...elasticsearch, pids: elasticsearch.pids.map(pidOf) },
    });
  });
}

function runningState() {
  const { instance } = settingsFromEnvironment(process.env);
  const state = readState(instance);
  if (!allRunning(state)) throw new Error(`instance "${instance}" is not running: start it with scripts/services up`);
  return state;
}

function printEnv() {
  const { postgres, elasticsearch } = runningState();
  process.stdout.write(`export DATABASE_URL='${postgres.url}'\nexport ELASTICSEARCH_URL='${elasticsearch.url}'\n`);
}

const [command, ...flags] = process.argv.slice(2);
try {
  if (command === 'up') await up();
  else if (command === 'down') await down(flags.includes('--purge'));
  else if (command === 'env') printEnv();
  else if (command === 'revive') await revive();
  else if (command === 'status') process.stdout.write(`${describe(runningState())}\n`);
  else {
    process.stderr.write(USAGE);
    process.exitCode = 64;
  }
} catch (error) {
  say(`scripts/services: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
