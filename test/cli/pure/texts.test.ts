import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { completionText, SHELLS } from '../../../src/cli/commands/completion.ts';
import { explainText } from '../../../src/cli/commands/explain.ts';
import { EXIT_CODES, KIND_MEANINGS } from '../../../src/cli/exit-codes.ts';
import { COMMANDS } from '../../../src/cli/flags.ts';
import { configTemplate, esRole, grantSql } from '../../../src/cli/init-texts.ts';
import { Failure, type FailureKind, policyOf } from '../../../src/core/failure.ts';
import { buildNames } from '../../../src/core/plan/names.ts';
import { matchesPattern } from '../../../src/elasticsearch/preflight/names.ts';
import { loadText } from './load-config.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..', '..');

test('explain knows every exit code that a failure can have, and every kind', () => {
  const known = new Set(EXIT_CODES.map(({ code }) => code));
  for (const kind of Object.keys(KIND_MEANINGS) as FailureKind[]) {
    assert.ok(known.has(policyOf(new Failure(kind, '')).exitCode), kind);
    assert.match(explainText(kind), new RegExp(`^${kind}: .*\\nexit \\d+: `));
  }
  for (const { code, meaning } of EXIT_CODES) assert.ok(explainText(String(code)).startsWith(`exit ${code}: ${meaning}\n`));
  assert.match(explainText('22'), /swap-vetoed/);
  assert.throws(() => explainText('lokced'), /did you mean "locked"/);
  assert.throws(() => explainText('3'), /no exit code or error "3"/);
});

test('the README tells the same of every exit code, word for word', () => {
  const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
  const table = /### Exit codes\n([\s\S]*?)\n\n[^|]/.exec(readme)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| (\d+) \| (.*) \| (.*) \|$/gm)].map(([, code, meaning = '', again = '']) => {
    return { code: Number(code), meaning: meaning.replaceAll('`', ''), again: again.replaceAll('`', '') };
  });
  assert.deepEqual(
    rows,
    EXIT_CODES.map(({ code, meaning, again }) => ({ code, meaning, again })),
  );
});

/** What bash offers for the last word of a command line. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionText('bash')}\nCOMP_WORDS=(realign ${words.map((word) => `'${word}'`).join(' ')})\nCOMP_CWORD=${words.length}\n_realign\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  assert.deepEqual([stderr, status], ['', 0]);
  return stdout.split('\n').filter((line) => line !== '');
}

test('completion: commands, the flags of the command, the values of a flag; paths are left to the shell', () => {
  assert.deepEqual(offered('re'), ['rebuild']);
  assert.deepEqual(offered('rebuild', 'products', '--metr'), ['--metrics-textfile']);
  assert.deepEqual(offered('status', '--metr'), []);
  assert.deepEqual(offered('rebuild', '--verify', ''), ['full', 'sample', 'counts']);
  assert.deepEqual(offered('rebuild', '--config', 'x'), []);
  assert.deepEqual(offered('-o', ''), ['human', 'json']);
  for (const name of Object.keys(COMMANDS)) assert.ok(offered('').includes(name), name);
  for (const shell of SHELLS) assert.match(completionText(shell), /realign/);
  assert.throws(() => completionText('tcsh'), /bash, zsh|no completion/);
});

test('init: the written config is one that loads, as it is and with its comments taken away', () => {
  const environment = {
    DATABASE_URL: 'postgres://u@h/d',
    ELASTICSEARCH_URL: 'http://localhost:9200',
    SLACK_WEBHOOK: 'https://hooks.example/services/x',
  };
  const text = configTemplate({ alias: '1e3', written: '"Odd Schema"."Table"', table: null });
  const load = (written: string) => loadText({ text: written, environment }).configuration;
  assert.equal(load(text).indices.get('1e3')?.config.table, '"Odd Schema"."Table"');
  const uncommented = text
    .split('\n')
    .map((line) => (/File:|sslrootcert|yaml-language/.test(line) ? line : line.replace(/^( *)# ( *[\w"]+:)/, '$1$2')))
    .join('\n');
  assert.notEqual(uncommented, text);
  assert.equal(load(uncommented).outlets.webhook?.url.host, 'hooks.example');
});

test('init: SQL and role for exactly this table and alias', () => {
  assert.match(grantSql('"O\'dd"."T"'), /wanted regclass := '"O''dd"\."T"';/);
  assert.deepEqual(JSON.parse(esRole('products')).indices[0].names, ['products', 'products-*']);
});

test('the Elasticsearch role of an alias with capitals covers the generations, which have none', () => {
  const { indices } = JSON.parse(esRole('Produkte-EU')) as { readonly indices: readonly { readonly names: readonly string[] }[] };
  const { index, buildAlias } = buildNames('Produkte-EU', 'k3f9', new Date(0));
  const covered = (name: string): boolean => indices[0]?.names.some((pattern) => matchesPattern(pattern, name)) ?? false;
  assert.deepEqual(['Produkte-EU', index, buildAlias].map(covered), [true, true, true]);
});
