import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.js');
const DIRECTORY = mkdtempSync(join(tmpdir(), 'realign-cli-'));
after(() => rmSync(DIRECTORY, { recursive: true }));

/** Nothing listens on port 1; a secret in each URL must show nowhere. */
const UNREACHABLE = { DATABASE_URL: 'postgres://app:canary-pg@127.0.0.1:1/shop', ELASTICSEARCH_URL: 'http://app:canary-es@127.0.0.1:1' };

function realign(args: readonly string[], env: { readonly [name: string]: string } = {}) {
  return spawnSync(process.execPath, [MAIN, ...args], { cwd: DIRECTORY, env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8', input: '' });
}

function eventsOf(stdout: string): readonly { readonly [field: string]: unknown }[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const USAGE: readonly (readonly [args: readonly string[], stderr: RegExp])[] = [
  [[], /no command given/],
  [['rebuild', 'a', '--frsh'], /did you mean --fresh/],
  [['rebuild', 'a'], /config file cannot be read: realign\.yaml \(ENOENT\)/],
  [['rebuild', 'a', '--table', 'public.a'], /no connection/],
  [['rebuild', 'a', '--table', 'public.a', '--bulk-bytes', '5'], /mistakes? in the configuration|--bulk-bytes/],
  [['abort', 'a'], /no connection/],
  [['abort', '*'], /cannot be an alias/],
  [['explain'], /CODE \(an exit code, or the kind of an error\) is missing behind explain/],
  [['completion'], /SHELL \(bash, zsh or fish\) is missing behind completion/],
];

for (const [args, stderr] of USAGE) {
  test(`realign ${args.join(' ')}: exit 64`, () => {
    const exit = realign(args);
    assert.match(exit.stderr, stderr);
    assert.deepEqual([exit.status, exit.stdout], [64, '']);
  });
}

test('an index that the config does not have: exit 64 with the nearest name', () => {
  writeFileSync(join(DIRECTORY, 'c.yaml'), 'version: 1\nindices: { products: { table: public.products } }\n');
  const exit = realign(['rebuild', 'product', '-c', 'c.yaml'], UNREACHABLE);
  assert.equal(exit.status, 64);
  assert.match(exit.stderr, /no index "product"; did you mean "products"\?/);
});

for (const command of ['rebuild', 'plan', 'check', 'status']) {
  test(`${command} with unreachable servers: exit 69, no secret in any stream at trace level`, () => {
    const table = command === 'status' ? [] : ['--table', 'public.a'];
    const exit = realign([command, 'a', ...table, '--log-level', 'trace', '-o', 'json'], UNREACHABLE);
    assert.equal(exit.status, 69);
    const lines = exit.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([lines[0].type, lines.at(-1).type, lines.at(-1).exit_code], ['version', 'summary', 69]);
    assert.ok(lines.some((line) => line.type === 'error' && line.kind === 'unreachable'));
    assert.match(exit.stderr, /DEBUG error\.detail/);
    assert.doesNotMatch(exit.stdout + exit.stderr, /canary/);
  });
}

test('hooks.beforeSwap that cannot be run: 64 with its place before anything is contacted; check tells it beside what else it finds', () => {
  writeFileSync(join(DIRECTORY, 'hook.yaml'), 'version: 1\nindices: { a: { table: public.a } }\nhooks:\n  beforeSwap: ./nowhere.sh\n');
  for (const command of ['rebuild', 'plan', 'check']) {
    const exit = realign([command, 'a', '-c', 'hook.yaml', '-o', 'json'], UNREACHABLE);
    const errors = eventsOf(exit.stdout).filter(({ type }) => type === 'error');
    assert.match(String(errors[0]?.message), /hook\.yaml:4:15 {2}hooks\.beforeSwap: it cannot be run: \S+nowhere\.sh \(ENOENT\)/);
    const codes = errors.map(({ exit_code: code }) => code);
    assert.deepEqual(codes, command === 'check' ? [64, 69] : [64], command);
  }
});

test('usage errors in JSON still have the first and the last line, with the command', () => {
  const exit = realign(['rebuild', 'a', '--nope', '--output=json']);
  assert.deepEqual(
    exit.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type),
    ['version', 'error', 'summary'],
  );
  for (const args of [
    ['explain', '22', '--nope', '-o', 'json'],
    ['explain', 'nope', '-o', 'json'],
    ['-o', 'json', 'explain'],
  ]) {
    const lines = eventsOf(realign(args).stdout);
    assert.deepEqual([lines[0]?.command, lines.at(-1)?.command, lines.at(-1)?.exit_code], ['explain', 'explain', 64], args.join(' '));
  }
});

test('a command that only prints gives events with --output json, as all do', () => {
  for (const args of [
    ['explain', '22'],
    ['completion', 'bash'],
    ['schema', '--report'],
  ]) {
    const exit = realign([...args, '-o', 'json']);
    const lines = eventsOf(exit.stdout);
    assert.deepEqual([exit.status, lines.map(({ type }) => type)], [0, ['version', 'summary']]);
    assert.equal(lines[1]?.message, realign(args).stdout);
  }
});

test('schema, help and version need no config', () => {
  assert.equal(JSON.parse(realign(['schema']).stdout).title, 'realign config, version 1');
  assert.equal(JSON.parse(realign(['schema', '--events']).stdout).title, 'realign events, format 1.0');
  assert.match(realign(['--version']).stdout, /^\d+\.\d+\.\d+\n$/);
  assert.match(realign(['--help']).stdout, /rebuild/);
});

test('a reader that goes away ends the output quietly', async () => {
  const child = spawn(process.execPath, [MAIN, 'schema', '--events'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk) => (stderr += chunk));
  child.stdout.destroy();
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual([code, stderr], [0, '']);
});
