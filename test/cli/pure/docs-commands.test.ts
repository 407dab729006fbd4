import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { parseArguments } from '../../../src/cli/arguments.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { COMMANDS } from '../../../src/cli/flags.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');
const DOCS = join(PROJECT, 'docs');
const files = [join(PROJECT, 'README.md'), ...readdirSync(DOCS, { recursive: true }).map((name) => join(DOCS, String(name)))];
const read = (path: string): string => readFileSync(path, 'utf8');

/** Not a tool of this project: asked where it is there. */
const SYSTEMD = 'systemd-analyze';

/** In prose only what is marked as code is a command; other files are code altogether. */
function codeOf(path: string): readonly string[] {
  const text = read(path).replaceAll(/\\\n\s*/g, ' ');
  if (!path.endsWith('.md')) return text.split('\n').map((line) => line.replace(/^\s*#.*/, ''));
  const fences = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, code = '']) => code.split('\n'));
  const spans = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...fences, ...spans];
}

/** The words of each `realign …` in a line of shell, quotes taken away (a crontab names the user before); what stands for something else (…, [optional], A|B) is left out. */
function commandsIn(line: string): readonly (readonly string[])[] {
  const found = [...line.matchAll(/(?:^|[\s($]|\/)(?<!role )realign +(?:realign +)?((?:'[^']*'|"[^"]*"|[^;&|`#>)])+)/g)].map(([, rest = '']) => rest);
  return found.flatMap((rest) => {
    const words = [...(rest.split(/ {3,}|—|·/)[0]?.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [])].map(([word]) => word.replaceAll(/['"]/g, ''));
    const plain = words.filter((word) => !/[…[\]]/.test(word));
    return /^[a-z-]+$/.test(plain[0] ?? '') ? [plain] : [];
  });
}

const commands = files
  .filter((path) => /\.(md|ya?ml|service|timer|sh)$/.test(path))
  .flatMap((path) =>
    codeOf(path).flatMap((line) => commandsIn(line).map((words) => ({ words, where: `${relative(PROJECT, path)}: realign ${words.join(' ')}` }))),
  );

test('every command line in the documentation is one that exists', async () => {
  const wrong: string[] = [];
  // The same words stand in many places, and reading a command line builds the whole parser.
  const once = new Map(commands.map((command) => [JSON.stringify(command.words), command]));
  for (const { words, where } of once.values()) {
    const [command = ''] = words;
    // A command named alone, as in "realign status", speaks of the command.
    if (words.length > 1) await parseArguments(words, '0').catch((error: Error) => wrong.push(`${where}: ${error.message}`));
    else if (!(command in COMMANDS)) wrong.push(`${where}: no such command`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(commands.length > 25, `only ${commands.length} found`);
});

test('the reader of documentation finds a flag that does not exist', async () => {
  const [words = []] = commandsIn('$ npx realign rebuild products --reprot "a b" && echo done');
  assert.deepEqual(words, ['rebuild', 'products', '--reprot', 'a b']);
  await assert.rejects(parseArguments(words, '0'), /did you mean --report/);
});

const recipes = files.filter((path) => /recipes\/.*\.ya?ml$/.test(path));

test('the recipes are YAML', () => {
  assert.equal(recipes.length, 4);
  for (const path of recipes) for (const document of parseAllDocuments(read(path))) assert.deepEqual(document.errors, [], path);
});

const again = (word: string): readonly number[] => EXIT_CODES.filter((exit) => exit.again === word).map(({ code }) => code);
/** SIGKILL for lack of memory: not a code of ours, but one that a container ends with. */
const KILLED = 137;

test('kubernetes: a job is tried again for the codes that are worth it, and for no others', () => {
  for (const path of recipes.filter((name) => name.includes('kubernetes'))) {
    const manifest = parseAllDocuments(read(path))[0]?.toJS();
    const job = manifest.kind === 'CronJob' ? manifest.spec.jobTemplate.spec : manifest.spec;
    const rule = job.podFailurePolicy.rules.find(({ action }: { action: string }) => action === 'FailJob').onExitCodes;
    assert.equal(rule.operator, 'NotIn');
    assert.deepEqual(
      rule.values,
      [...again('yes'), ...again('later'), KILLED].sort((a, b) => a - b),
    );
    const { restartPolicy, containers, terminationGracePeriodSeconds } = job.template.spec;
    assert.deepEqual([restartPolicy, terminationGracePeriodSeconds, containers[0].name], ['Never', 30, rule.containerName]);
  }
});

test('kubernetes: the containers call commands that exist', async () => {
  for (const path of recipes.filter((name) => name.includes('kubernetes'))) {
    const manifest = parseAllDocuments(read(path))[0]?.toJS();
    const job = manifest.kind === 'CronJob' ? manifest.spec.jobTemplate.spec : manifest.spec;
    const [container] = job.template.spec.containers;
    assert.deepEqual(container.command, ['realign']);
    const invocation = await parseArguments(container.args, '0');
    assert.equal(invocation.kind, 'run');
  }
});

test('systemd, cron and CI retry by the same codes', () => {
  const service = read(join(DOCS, 'recipes', 'systemd', 'realign@.service'));
  const prevented = /RestartPreventExitStatus=(.*)/.exec(service)?.[1]?.split(' ').map(Number);
  const retried = new Set([...again('yes'), ...again('later'), 0]);
  assert.deepEqual(
    prevented,
    EXIT_CODES.map(({ code }) => code).filter((code) => !retried.has(code)),
  );
  for (const path of ['cron.md', 'github/realign.yml']) {
    const codes =
      /(\d+(?: \| \d+)+)\)/
        .exec(read(join(DOCS, 'recipes', path)))?.[1]
        ?.split(' | ')
        .map(Number) ?? [];
    assert.ok(codes.length > 0 && codes.every((code) => again('yes').includes(code)), path);
  }
});

test('systemd understands the service and the timer', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'realign-systemd-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['realign@.service', 'realign@.timer']) {
    const text = read(join(DOCS, 'recipes', 'systemd', name));
    // Every line is a comment, a section or a setting; where there is systemd, it says more.
    for (const line of text.split('\n')) assert.match(line, /^(|#.*|\[\w+\]|[A-Z]\w+=.+)$/);
    writeFileSync(join(folder, name.replace('@.', '@x.')), text.replaceAll('/usr/local/bin/realign', process.execPath));
  }
  const verified = spawnSync(SYSTEMD, ['verify', join(folder, 'realign@x.service'), join(folder, 'realign@x.timer')], { encoding: 'utf8' });
  if (verified.error === undefined) assert.deepEqual([verified.stderr, verified.status], ['', 0]);
});

test('the variables, metrics and options that reports.md names are those of the program', () => {
  const text = read(join(DOCS, 'reports.md'));
  const source = (path: string) => read(join(PROJECT, 'src', 'cli', path));
  const variables = new Set(source('hooks/before-swap.ts').match(/REALIGN_[A-Z_]+(?=:)/g));
  assert.deepEqual(new Set(text.match(/REALIGN_(?!WEBHOOK)[A-Z_]+/g)), variables);
  const families = new Set([...source('metrics/metric-families.ts').matchAll(/'(last_[a-z_]+)'/g)].map(([, name]) => name));
  const told = [...text.matchAll(/`(?:realign_last_run|…)_([a-z_]+)/g)].map(([, name]) => `last_run_${name}`);
  assert.deepEqual(new Set([...told, 'last_success_timestamp_seconds']), families);
});

test('every flag of every command is in the README, at that command', () => {
  const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
  const rowOf = (name: string): string =>
    readme
      .split('\n')
      .filter((line) => line.startsWith(`| \`${name} `))
      .join();
  const tableOf = (name: string): string => readme.split(`Flags of \`${name}\`:`)[1]?.split('\n\n')[1] ?? '';
  for (const [name, { options }] of Object.entries(COMMANDS)) {
    // The outlets stand once, in the table of rebuild, which says so.
    const text = rowOf(name) + tableOf(name) + (name === 'audit' ? tableOf('rebuild') : '');
    for (const flag of Object.keys(options)) assert.match(text, new RegExp(`--${flag}(?![a-z-])`), `${name} --${flag}`);
  }
});
