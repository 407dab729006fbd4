import { cpSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, requireFree } from './free-port.mjs';
import { requireJdk } from './java.mjs';
import { run, startDetached, stopProcess, waitUntilReady } from './os-process.mjs';
import { downloadOnce, serverFolder } from './state.mjs';

const SOURCES = join(dirname(dirname(fileURLToPath(import.meta.url))), 'elasticsearch');

/** Small absolute watermarks: a developer's full disk is no reason to refuse a test index. */
const SETTINGS = [
  ['cluster.routing.allocation.disk.watermark.low', '600mb'],
  ['cluster.routing.allocation.disk.watermark.high', '500mb'],
  ['cluster.routing.allocation.disk.watermark.flood_stage', '400mb'],
];

function descriptor(name, version, className, java) {
  const lines = { name, description: name, version, 'elasticsearch.version': version, 'java.version': java, classname: className };
  const text = Object.entries({ ...lines, 'extended.plugins': '', 'has.native.controller': 'false' }).map(([key, value]) => `${key}=${value}\n`);
  return text.join('');
}

/** Modules have class loaders of their own: their jars must not lie on the class path as well. */
function makeTransportModule(folder, version, java) {
  const module = join(folder, 'modules', 'transport-netty4');
  mkdirSync(module, { recursive: true });
  const jars = readdirSync(join(folder, 'lib')).filter((name) => /^(netty-|transport-netty4-)/.test(name));
  for (const jar of jars) renameSync(join(folder, 'lib', jar), join(module, jar));
  const className = 'org.elasticsearch.transport.netty4.Netty4Plugin';
  writeFileSync(join(module, 'plugin-descriptor.properties'), descriptor('transport-netty4', version, className, java));
}

async function compile(folder, jdk, source, target) {
  mkdirSync(join(folder, target), { recursive: true });
  const classPath = `${join(folder, 'lib')}/*`;
  await run(join(jdk.home, 'bin', 'javac'), ['-nowarn', '-cp', classPath, '-d', join(folder, target), join(SOURCES, source)]);
}

async function makeRootModule(folder, version, java, jdk) {
  await compile(folder, jdk, 'RootEndpoint.java', 'classes/root');
  const module = join(folder, 'modules', 'rest-root');
  mkdirSync(module, { recursive: true });
  await run(join(jdk.home, 'bin', 'jar'), ['--create', '--file', join(module, 'rest-root.jar'), '-C', join(folder, 'classes', 'root'), '.']);
  writeFileSync(join(module, 'plugin-descriptor.properties'), descriptor('rest-root', version, 'local.RootEndpoint', java));
}

function downloadedServer(version, jdk, say) {
  // Class files of a newer JDK do not load in an older one, so each JDK has a folder of its own.
  return downloadOnce(`elasticsearch-${version}-java${jdk.major}`, async (folder) => {
    say(`Elasticsearch ${version}: fetching its jars with Maven`);
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
    const options = ['-q', '-B', '-f', join(SOURCES, 'pom.xml'), `-Des.version=${version}`, `-DoutputDirectory=${join(folder, 'lib')}`];
    await run('mvn', [...options, goal], { cwd: folder });
    makeTransportModule(folder, version, '17');
    await makeRootModule(folder, version, '17', jdk);
    await compile(folder, jdk, 'LocalNode.java', 'classes/launcher');
  });
}

function javaArguments(folder, jdk, version, heap) {
  const newer = ['--enable-native-access=ALL-UNNAMED', '--add-modules=jdk.incubator.vector'];
  return [
    `-Xms${heap}`,
    `-Xmx${heap}`,
    '-Djava.awt.headless=true',
    '--add-opens=java.base/java.io=ALL-UNNAMED',
    ...(version.startsWith('9.') && jdk.major >= 21 ? newer : []),
    '-cp',
    `${join(folder, 'classes', 'launcher')}:${join(folder, 'lib')}/*`,
    'LocalNode',
  ];
}

function prepareHome(instance, name, folder) {
  const home = serverFolder(instance, name);
  for (const child of ['config', 'data', 'logs', 'plugins']) mkdirSync(join(home, child), { recursive: true });
  cpSync(join(folder, 'modules'), join(home, 'modules'), { recursive: true });
  cpSync(join(SOURCES, 'log4j2.properties'), join(home, 'config', 'log4j2.properties'));
  return home;
}

/** Discovery: one node forms a cluster alone; several name each other. */
function discovery(nodes) {
  if (nodes.length === 1) return [['discovery.type', 'single-node']];
  const seeds = nodes.map((node) => `127.0.0.1:${node.transport}`).join(',');
  return [
    ['discovery.seed_hosts', seeds],
    ['cluster.initial_master_nodes', nodes.map((node) => node.name).join(',')],
  ];
}

async function planNodes({ esNodes, esPort }) {
  const places = Array.from({ length: esNodes }, (_, at) => at);
  const asked = [...places.map((at) => esPort + at), ...places.map((at) => esPort + 100 + at)];
  const free = esPort === 0 ? await freePorts(2 * esNodes) : await Promise.all(asked.map((port) => requireFree(port, 'ES_PORT')));
  return places.map((at) => ({ name: `node-${at + 1}`, http: free[at], transport: free[esNodes + at] }));
}

const clusterName = (wanted) => `realign-${wanted.instance}`;

function nodeSettings(wanted, node, nodes) {
  const own = [
    ['cluster.name', clusterName(wanted)],
    ['node.name', node.name],
    ['http.host', '127.0.0.1'],
    ['http.port', node.http],
    ['transport.host', '127.0.0.1'],
    ['transport.port', node.transport],
  ];
  return [...own, ...discovery(nodes), ...SETTINGS, ...wanted.esSettings].map(([key, value]) => `${key}=${value}`);
}

/** The name tells our cluster from another one that answers on the port. */
async function clusterIsComplete(port, nodes, name) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/_cluster/health?wait_for_nodes=${nodes}&timeout=1s`);
    const health = await answer.json();
    return answer.ok && health.cluster_name === name && health.number_of_nodes === nodes && health.status !== 'red';
  } catch {
    return false;
  }
}

/** Starts all nodes of the cluster and waits until each of them sees all. */
export async function startElasticsearch(wanted, started, say) {
  const version = wanted.esVersion;
  const jdk = requireJdk(version);
  const folder = await downloadedServer(version, jdk, say);
  const nodes = await planNodes(wanted);
  const running = [];
  for (const node of nodes) {
    const home = prepareHome(wanted.instance, `elasticsearch-${node.name}`, folder);
    const args = [...javaArguments(folder, jdk, version, wanted.esHeap), home, ...nodeSettings(wanted, node, nodes)];
    const log = join(home, 'logs', 'console.log');
    const launch = { command: join(jdk.home, 'bin', 'java'), args, place: { log, cwd: home } };
    const identity = await startDetached(launch.command, launch.args, launch.place);
    started({ kind: 'elasticsearch', ...identity, launch });
    running.push({ ...node, identity, log });
  }
  await Promise.all(
    running.map(({ http, identity, log, name }) =>
      waitUntilReady(identity, () => clusterIsComplete(http, nodes.length, clusterName(wanted)), {
        name: `Elasticsearch ${name}`,
        log,
        timeoutMs: 180_000,
      }),
    ),
  );
  const urls = nodes.map((node) => `http://127.0.0.1:${node.http}`);
  const pids = running.map(({ identity }) => identity.pid);
  return { version, nodes: nodes.length, url: urls[0], urls, logs: running.map(({ log }) => log), pids };
}

/** All nodes at once: one after the other, the last ones would wait for a master that is gone. */
export async function stopElasticsearch(identities) {
  await Promise.all(identities.map((identity) => stopProcess(identity, 'SIGTERM', 20_000)));
}
