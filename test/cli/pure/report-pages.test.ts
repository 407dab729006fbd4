import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { htmlPage } from '../../../src/cli/report/html/page.ts';
import { junitXml } from '../../../src/cli/report/junit.ts';
import { markdownSummary } from '../../../src/cli/report/markdown.ts';
import type { Report } from '../../../src/cli/report/report-schema.ts';
import { assertWellFormed } from '../../support/markup-check.ts';
import { failedReport, passedReport } from './sample-report.ts';

/** Keys as an attacker would choose them. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '&#60;script&#62;',
  '| cell | [link](https://evil.example) ![i](https://evil.example/x.png)',
  '`code` <!-- comment --> ]]>',
  '\u202egnp.exe \u2066\u200b\u0000\u0007\ufffe\ud800 end',
  '@everyone <@U123> https://evil.example www.evil.example',
  'line\nbreak\r\n## heading',
  'javascript:alert(1)',
];

const hostile = (): Report => failedReport({ mask: { showValues: 'full' } }, 200, (at) => `${HOSTILE[at % HOSTILE.length]} ${at}`);
const everyReport = (): readonly Report[] => [passedReport(), failedReport(), hostile(), { ...passedReport(), runs: [] }];

test('the page is well formed whatever the keys are', () => {
  for (const report of everyReport()) assertWellFormed(htmlPage(report).replace('<!doctype html>', ''), new Set(['style']));
});

test('the page allows its own style sheet by hash and nothing else', () => {
  for (const report of everyReport()) {
    const page = htmlPage(report);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.equal(policy, `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`);
    assert.ok(page.indexOf('Content-Security-Policy') < page.indexOf('<style>'), 'a policy holds from where it stands');
    assert.equal(page.match(/<style/g)?.length, 1);
  }
});

test('the page has no script, no inline style, no handler, and loads nothing', () => {
  const tags = everyReport().flatMap((report) => htmlPage(report).match(/<[a-zA-Z][^>]*>/g) ?? []);
  for (const tag of tags) {
    assert.doesNotMatch(tag, /^<(script|link|img|iframe|object|embed|base|form|video|audio|source|use|image)\b/i);
    assert.doesNotMatch(tag, /\s(style|src|srcset|action|xlink:href|on\w+)\s*=/i);
    const href = /\shref="([^"]*)"/.exec(tag)?.[1];
    if (href !== undefined) assert.match(href, /^#[\w-]+$/);
  }
  assert.doesNotMatch(htmlPage(passedReport()).replace(/<style>[\s\S]*<\/style>/, ''), /https?:|url\(/);
  assert.doesNotMatch(/<style>([\s\S]*)<\/style>/.exec(htmlPage(passedReport()))?.[1] ?? '', /url\(|@import|https?:/);
});

test('what cannot be seen, and what turns the direction of writing, is shown as what it is', () => {
  for (const text of [htmlPage(hostile()), markdownSummary(hostile()), junitXml(hostile())]) {
    assert.doesNotMatch(text, /[\p{Cf}\p{Cs}\ufffe]|[^\P{Cc}\n]/u);
    assert.match(text, /u\{202e\}|u&#123;202e&#125;/);
  }
});

test('each cell of the heat map leads to a key, and each anchor exists once', () => {
  const page = htmlPage(failedReport());
  const targets = [...page.matchAll(/<a class="c [^>]*href="#([\w-]+)"/g)].map(([, id]) => id);
  const anchors = [...page.matchAll(/\sid="([\w-]+)"/g)].map(([, id]) => id);
  assert.equal(targets.length, 37);
  assert.equal(new Set(anchors).size, anchors.length);
  for (const target of targets) assert.ok(anchors.includes(target), target);
  assert.equal(page.match(/class="c(?: |")/g)?.length, 1024 + 5, 'all partitions and the legend');
});

test('the verdict comes first and says whether it was swapped', () => {
  const first = (report: Report) => /<h2[^>]*>(.*?)<\/h2>/.exec(htmlPage(report))?.[1]?.replace(/<[^>]*>/g, '');
  assert.equal(first(passedReport()), 'products Verified and swapped');
  assert.equal(first(failedReport()), 'products Not swapped: 37 documents differ');
  assert.match(htmlPage(failedReport()), /realign abort products/);
  assert.match(htmlPage(failedReport()), /realign rebuild products --seed cafe/);
});

test('values are hidden unless asked for, keys hashed when asked for', () => {
  const all = (report: Report) => [JSON.stringify(report), htmlPage(report), markdownSummary(report), junitXml(report)].join('\n');
  assert.doesNotMatch(all(failedReport()), /899999/);
  assert.match(htmlPage(failedReport({ mask: { showValues: 'truncated' } })), /899999/);
  const hashed = all(failedReport({ mask: { hashKeys: true } }, 3));
  assert.doesNotMatch(hashed, /88213/);
  assert.ok(hashed.includes(createHash('sha256').update('salt:88213').digest('hex').slice(0, 16)));
});

test('the summary is Markdown that no key gets out of', () => {
  const text = markdownSummary(hostile());
  assert.doesNotMatch(text, /<(?!\/?(code|details|summary|sub|br)\b)[a-z!]/i);
  assert.doesNotMatch(text, /evil\.example\)|www\.|https?:\/\//);
  const rows = text.split('\n').filter((line) => line.startsWith('| <code>'));
  for (const row of rows) assert.ok([2, 3].includes(row.split(' | ').length), row);
  assert.match(text, /^## ❌ realign rebuild <code>products<\/code>: Not swapped: 200 documents differ$/m);
  assert.ok(Buffer.byteLength(markdownSummary(failedReport({}, 5000))) < 10_000);
});

test('junit: a failed run is never green, counts are right, and it is XML', () => {
  for (const report of everyReport()) {
    const text = junitXml(report);
    assertWellFormed(text.replace(/^<\?xml[^>]*\?>/, ''));
    for (const [, tests, failures, errors, skipped, body = ''] of text.matchAll(
      /<testsuite name="[^"]*" tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="(\d+)"[^>]*>([\s\S]*?)<\/testsuite>/g,
    )) {
      const found = ['<testcase ', '<failure ', '<error ', '<skipped '].map((mark) => body.split(mark).length - 1);
      assert.deepEqual(found, [tests, failures, errors, skipped].map(Number));
    }
  }
  assert.match(junitXml(failedReport()), /<failure type="verification-failed"/);
  assert.doesNotMatch(junitXml(passedReport()), /<(failure|error|skipped)/);
});
