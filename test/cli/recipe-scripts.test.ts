import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

const RECIPES = join(import.meta.dirname, '..', '..', '..', 'docs', 'recipes');

/** A `realign` (and `npx realign`) that ends with one code after the other and writes down its calls, and a `sleep` that does not. */
const PROGRAMS = {
  realign: '#!/bin/sh\necho "$*" >> "$CALLS"\nexit "$(sed -n "$(wc -l < "$CALLS" | tr -d " ")p" "$CODES")"\n',
  npx: '#!/bin/sh\nexec "$@"\n',
  sleep: '#!/bin/sh\necho "$1" >> "$SLEEPS"\n',
};

interface Ran {
  readonly code: number | null;
  readonly calls: readonly string[];
  readonly sleeps: readonly string[];
}

function runScript(shell: readonly string[], script: string, codes: readonly number[]): Ran {
  const folder = mkdtempSync(join(tmpdir(), 'realign-recipe-'));
  try {
    mkdirSync(join(folder, 'bin'));
    for (const [name, text] of Object.entries(PROGRAMS)) {
      writeFileSync(join(folder, 'bin', name), text);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
    const [command = '', ...flags] = shell;
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const env = { CALLS: file('calls', ''), SLEEPS: file('sleeps', ''), CODES: file('codes', `${codes.join('\n')}\n`) };
    const path = `${join(folder, 'bin')}:${process.env.PATH ?? ''}`;
    const { status } = spawnSync(command, [...flags, file('script', script), 'products'], { env: { ...env, PATH: path }, cwd: folder });
    const lines = (name: string): readonly string[] => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
    return { code: status, calls: lines('calls'), sleeps: lines('sleeps') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const cronScript = /^#!\/bin\/sh\n[\s\S]*?(?=^```)/m.exec(readFileSync(join(RECIPES, 'cron.md'), 'utf8'))?.[0] ?? '';
const workflow = parse(readFileSync(join(RECIPES, 'github', 'realign.yml'), 'utf8'));
const step = (name: string): { readonly run: string; readonly if?: string } =>
  workflow.jobs.rebuild.steps.find((one: { readonly name?: string }) => one.name === name);

/** What GitHub runs for `shell: bash` (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idstepsshell). */
const GITHUB_BASH = ['bash', '--noprofile', '--norc', '-eo', 'pipefail'];
const SCRIPTS = [
  { name: 'cron', shell: ['sh'], script: cronScript },
  { name: 'GitHub', shell: GITHUB_BASH, script: step('rebuild').run },
];

for (const { name, shell, script } of SCRIPTS) {
  test(`${name}: 69 and 75 are tried again, three times at most; any other code is the result at once`, () => {
    for (const code of [0, 1, 2, 20, 21, 22, 25, 130]) {
      const once = runScript(shell, script, [code]);
      assert.deepEqual([once.code, once.calls.length, once.sleeps.length], [code, 1, 0], `${code}`);
    }
    const resumed = runScript(shell, script, [75, 69, 0]);
    assert.deepEqual([resumed.code, resumed.calls.length, resumed.sleeps.length], [0, 3, 2]);
    const then = runScript(shell, script, [75, 22]);
    assert.deepEqual([then.code, then.calls.length], [22, 2]);
    const given = runScript(shell, script, [69, 69, 69]);
    assert.deepEqual([given.code, given.calls.length, given.sleeps.length], [69, 3, 2], 'no pause after the last one');
    assert.equal(new Set(given.calls).size, 1, 'the same command again');
    assert.match(given.calls[0] ?? '', /^rebuild products /);
  });
}

test('GitHub: the summary is on the page of the job also after a failure, and a run without one is no failure of its own', () => {
  const { run, if: condition } = step('the summary on the page of the job');
  assert.equal(condition, 'always()');
  const folder = mkdtempSync(join(tmpdir(), 'realign-recipe-'));
  try {
    const page = join(folder, 'page.md');
    const show = () =>
      spawnSync('bash', [...GITHUB_BASH.slice(1), '-c', run], { cwd: folder, env: { ...process.env, GITHUB_STEP_SUMMARY: page } }).status;
    assert.equal(show(), 0);
    mkdirSync(join(folder, 'report'));
    writeFileSync(join(folder, 'report', 'summary.md'), '## products\n');
    assert.equal(show(), 0);
    assert.equal(readFileSync(page, 'utf8'), '## products\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the reports that CI keeps are where the command writes them', () => {
  const gitlab = parse(readFileSync(join(RECIPES, 'gitlab', 'gitlab-ci.yml'), 'utf8'))['rebuild products'];
  assert.match(gitlab.script.at(-1), /--report report /);
  assert.deepEqual([gitlab.artifacts.when, gitlab.artifacts.paths, gitlab.artifacts.reports.junit], ['always', ['report/'], 'report/junit.xml']);
  assert.deepEqual(gitlab.retry, { max: 2, exit_codes: [69, 75] });
  const upload = workflow.jobs.rebuild.steps.at(-1);
  assert.deepEqual([upload.if, upload.with.path], ['always()', 'report']);
  assert.match(step('rebuild').run, /--report report /);
});
