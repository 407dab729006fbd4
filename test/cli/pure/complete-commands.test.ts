import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { completeCommands, withCompleteCommands } from '../../../src/cli/complete-commands.ts';
import { sameCommand, shellWord } from '../../../src/cli/same-command.ts';

const FILE = { config: 'conf/prod realign.yaml', 'env-file': undefined, yes: true } as const;
const complete = (text: string, flags: { readonly [name: string]: string | true | undefined } = { config: 'p.yaml' }) =>
  completeCommands(text, ['products', 'a.b'], flags);

test('commands in a text get what they need to be pasted', () => {
  for (const [text, whole] of [
    ['See: realign status products', 'See: realign status products --config p.yaml'],
    ['Make one with: realign rebuild products --hold', 'Make one with: realign rebuild products --config p.yaml --hold'],
    [
      'realign rebuild products resumes it, realign abort products removes it.',
      'realign rebuild products --config p.yaml resumes it, realign abort products --config p.yaml removes it.',
    ],
    ['realign ctl products pause', 'realign ctl products --config p.yaml pause'],
    ['`realign status a.b` lists', '`realign status a.b --config p.yaml` lists'],
    ['Another build runs; see realign status.', 'Another build runs; see realign status --config p.yaml.'.replace('p.yaml.', 'p.yaml.')],
    ['See `realign status` for the process', 'See `realign status --config p.yaml` for the process'],
    ['realign check products, then realign plan products.', 'realign check products --config p.yaml, then realign plan products --config p.yaml.'],
    [
      'realign audit products --index products-1-k3f9   (compares it again)',
      'realign audit products --config p.yaml --index products-1-k3f9   (compares it again)',
    ],
  ] as const) {
    assert.equal(complete(text), whole);
  }
});

test('what is complete, and what is no command line, stays as it is', () => {
  for (const text of [
    'realign rebuild products --config p.yaml --keep 2   (resumes)',
    'It is left over; realign abort removes it.',
    'See `realign audit --help`.',
    '`realign rebuild` replaces the whole index',
    'realign schema prints every key',
    'realign rebuild <alias> --fresh',
  ]) {
    assert.equal(complete(text), text);
  }
  assert.equal(complete('realign status products', {}), 'realign status products');
});

test('--table goes where an entry of the config is needed, and nowhere else; values are quoted for a shell', () => {
  const flags = { table: '"Odd Schema"."T"' };
  assert.equal(complete('realign rebuild products', flags), `realign rebuild products --table '"Odd Schema"."T"'`);
  assert.equal(complete('realign status products', flags), 'realign status products');
  assert.equal(complete('realign abort products', FILE), "realign abort products --config 'conf/prod realign.yaml'");
});

test('an alias with what a shell takes for its own is quoted, once', () => {
  for (const alias of ["it's$HOME", 'a&b', 'r(1);x', '`id`']) {
    const word = shellWord(alias);
    assert.notEqual(word, alias);
    for (const [text, whole] of [
      [`See: realign status ${alias}.`, `See: realign status ${word} --config p.yaml.`],
      [`realign ctl ${alias} pause`, `realign ctl ${word} --config p.yaml pause`],
      [sameCommand('rebuild', alias, { config: 'p.yaml', keep: '2' }), `realign rebuild ${word} --config p.yaml --keep 2`],
      [`realign audit ${alias} --index ${alias}-20261129t154012-k3f9   (again)`.toLowerCase(), null],
    ] as const) {
      const told = completeCommands(text, [alias, alias.toLowerCase()], { config: 'p.yaml' });
      if (whole !== null) assert.equal(told, whole);
      else
        assert.deepEqual(wordsOf(told), [
          'realign',
          'audit',
          alias.toLowerCase(),
          '--config',
          'p.yaml',
          '--index',
          `${alias.toLowerCase()}-20261129t154012-k3f9`,
        ]);
    }
    assert.equal(completeCommands(`realign abort ${alias}`, [alias], {}), `realign abort ${word}`);
  }
});

/** As a shell reads them. */
function wordsOf(command: string): readonly string[] {
  const line = command.replace(/ +\(.*$/, '');
  return spawnSync('sh', ['-c', `printf '%s\\n' ${line}`], { encoding: 'utf8' })
    .stdout.trimEnd()
    .split('\n');
}

test('in events only what people read is completed', () => {
  const event = {
    type: 'error',
    kind: 'locked',
    message: 'm',
    hint: 'realign status products',
    unchanged: '',
    next: ['realign check products'],
    exit_code: 21,
  } as const;
  const { hint, next, kind } = withCompleteCommands(event, (text) => complete(text)) as typeof event;
  assert.deepEqual([hint, next, kind], ['realign status products --config p.yaml', ['realign check products --config p.yaml'], 'locked']);
  const rejected = { type: 'rejected', id: 'realign status products', column: 'c', reason: 'r' } as const;
  assert.equal(
    withCompleteCommands(rejected, (text) => complete(text)),
    rejected,
  );
});
