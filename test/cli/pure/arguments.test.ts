import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../../../src/cli/arguments.ts';
import { Failure } from '../../../src/core/failure.ts';

const parse = (line: string) =>
  parseArguments(
    line.split(' ').filter((word) => word !== ''),
    '1.2.3',
  );

test('indices and flags', async () => {
  assert.deepEqual(await parse('rebuild a b a --rate 100 --fresh -qc f.yaml --no-color'), {
    kind: 'run',
    command: 'rebuild',
    indices: ['a', 'b'],
    words: [],
    flags: { config: 'f.yaml', quiet: true, 'no-color': true, fresh: true, rate: '100' },
  });
  assert.deepEqual(await parse('-o json status 123'), { kind: 'run', command: 'status', indices: ['123'], words: [], flags: { output: 'json' } });
  assert.deepEqual(await parse('ctl a set rate=5 copy-jobs=2'), {
    kind: 'run',
    command: 'ctl',
    indices: ['a'],
    words: ['set', 'rate=5', 'copy-jobs=2'],
    flags: {},
  });
});

test('help and version are printed', async () => {
  assert.deepEqual(await parse('--version'), { kind: 'print', text: '1.2.3' });
  const help = await parse('rebuild --help');
  assert.ok(help.kind === 'print' && help.text.includes('--max-slot-wal') && !help.text.includes('--detailed-exitcode'));
});

const WRONG: readonly (readonly [line: string, message: RegExp])[] = [
  ['', /no command given/],
  ['rebuid a', /unknown command "rebuid"; did you mean "rebuild"\?/],
  ['inspect a', /unknown command "inspect"/],
  ['audit a --index', /^--index needs a value$/],
  ['audit a --bulk-jobs 2', /--bulk-jobs is a flag of rebuild, not of audit/],
  ['abort', /INDEX \(the alias\) is missing/],
  ['ctl', /INDEX \(the alias\) is missing/],
  ['rebuild a --frsh', /unknown flag --frsh; did you mean --fresh\?/],
  ['rebuild a --hold-fil x', /unknown flag --hold-fil; did you mean --hold-file\?/],
  ['audit a --sett 3x1s', /unknown flag --sett; did you mean --settle\?/],
  ['audit a --sttle 3x1s', /unknown flag --sttle; did you mean --settle\?/],
  ['status --wtch', /unknown flag --wtch; did you mean --watch\?/],
  ['cleanup --kep 2', /unknown flag --kep; did you mean --keep\?/],
  ['swap a --s 3', /unknown flag --s$/],
  ['rebuild a -x', /unknown flag -x/],
  ['check --rate 5', /--rate is a flag of rebuild, not of check/],
  ['status --no-fresh', /unknown flag --no-fresh/],
  ['rebuild a --rate', /^--rate needs a value$/],
  ['rebuild a --rate --fresh', /^--rate needs a value$/],
  ['status -c', /^--config needs a value$/],
  ['status a -o', /^--output needs a value: human, json$/],
  ['status a -qo xml', /^--output: expected human or json, not "xml"$/],
  ['rebuild a --fresh=maybe', /^--fresh takes no value, not "maybe"$/],
  ['rebuild a --keep=', /--keep needs a value/],
  ['rebuild a --rate 5 --rate 6', /--rate is given 2 times/],
  ['rebuild a --verify ful', /^--verify: expected full or sample or counts, not "ful"; did you mean "full"\?$/],
  ['abort a b', /^abort takes one INDEX \(the alias\), not also "b"$/],
  ['schema foo', /^schema takes no word behind it, not "foo"$/],
  ['explain', /^CODE \(an exit code, or the kind of an error\) is missing behind explain$/],
  ['completion', /^SHELL \(bash, zsh or fish\) is missing behind completion$/],
  ['explain 1 2', /^explain takes one CODE .*, not also "2"$/],
  ['init a b', /^init takes one INDEX \(the alias\), not also "b"$/],
];

test('all flags that are wrong are told all at once', async () => {
  await assert.rejects(parse('abort a b --frsh --output xml --yes=maybe'), (error) => {
    assert.ok(error instanceof Failure && error.kind === 'usage');
    assert.deepEqual(error.message.split('\n'), [
      '3 mistakes on the command line:',
      '  unknown flag --frsh',
      '  --output: expected human or json, not "xml"',
      '  --yes takes no value, not "maybe"',
    ]);
    return true;
  });
});

for (const [line, message] of WRONG) {
  test(`realign ${line}: refused`, async () => {
    await assert.rejects(parse(line), (error) => error instanceof Failure && error.kind === 'usage' && message.test(error.message));
  });
}
