import assert from 'node:assert/strict';

/** The rules of `promtool check metrics` (https://github.com/prometheus/client_golang/tree/main/prometheus/testutil/promlint) and of the text format, for gauges. */
const LABELS = new Set(['alias', 'phase', 'result']);
const NOT_BASE_UNITS =
  /_(ms|msec|milliseconds?|us|ns|nanoseconds?|microseconds?|minutes?|hours?|days?|weeks?|kb|mb|gb|kib|mib|gib|kilobytes?|megabytes?|bits?|percent|sec|secs|s)(_|$)/;
const NAME = /^realign_[a-z][a-z0-9_]*$/;

/** Fails at the first rule that the text breaks. */
export function assertGoodMetrics(text: string): void {
  assert.ok(text === '' || text.endsWith('\n'), 'the last line needs its end');
  const [helped, typed, series] = [new Set<string>(), new Map<string, string>(), new Set<string>()];
  let family = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const [, mark, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (mark === 'HELP') {
      assertGoodName(name);
      assert.ok(!helped.has(name), `${name} has two HELP lines`);
      helped.add(name);
    } else if (mark === 'TYPE') {
      assert.ok(helped.has(name) && !typed.has(name), `${name}: HELP, then TYPE, once`);
      typed.set(name, rest);
      family = name;
    } else assertGoodSample(line, family, typed, series);
  }
}

function assertGoodName(name: string): void {
  assert.match(name, NAME);
  assert.doesNotMatch(name, NOT_BASE_UNITS, `${name} is not in base units`);
  assert.doesNotMatch(name, /_(gauge|counter|histogram|summary)(_|$)/, `${name} names its type`);
  assert.doesNotMatch(name, /__|_(bucket|sum|count)$/, name);
}

function assertGoodSample(line: string, family: string, typed: ReadonlyMap<string, string>, series: Set<string>): void {
  const found = /^([a-z_0-9]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (\S+)$/.exec(line);
  assert.ok(found !== null, `not a sample: ${line}`);
  const [, name = '', labels = '', value = ''] = found;
  assert.equal(name, family, 'the samples of a family stand together');
  assert.equal(name.endsWith('_total'), typed.get(name) === 'counter', `${name}: _total is for counters`);
  assert.ok(Number.isFinite(Number(value)), line);
  for (const [, label = ''] of labels.matchAll(/([a-z]+)="(?:[^"\\]|\\.)*"/g)) assert.ok(LABELS.has(label), `label ${label}`);
  assert.ok(labels.includes('alias="'), line);
  assert.ok(!series.has(`${name}{${labels}}`), `twice: ${line}`);
  series.add(`${name}{${labels}}`);
}

/** The value of a series, or null. */
export function sampleValue(text: string, series: string): number | null {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}
