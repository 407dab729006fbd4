/**
 * Opens a report in headless Chromium at 1280 and 390 pixels, light and dark, and fails if the browser complains about anything or the page is wider than
 * the window: node scripts/look-at-report.mjs report/index.html FOLDER [chromium]. The screenshots in FOLDER are for eyes.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [page, folder, browser = 'chromium'] = process.argv.slice(2);
if (page === undefined || folder === undefined) {
  process.stderr.write('usage: node scripts/look-at-report.mjs INDEX.HTML FOLDER [chromium]\n');
  process.exit(64);
}

const profile = mkdtempSync(join(tmpdir(), 'realign-look-'));
const child = spawn(
  browser,
  ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
);
child.on('error', (error) => {
  process.stderr.write(`${browser}: ${error.message}\n`);
  process.exit(1);
});
const [, , , toBrowser, fromBrowser] = child.stdio;

const waiting = new Map();
const complaints = [];
let sequence = 0;
let loaded = () => undefined;
let rest = '';
fromBrowser.setEncoding('utf8').on('data', (chunk) => {
  const messages = (rest + chunk).split('\0');
  rest = messages.pop() ?? '';
  for (const message of messages) hear(JSON.parse(message));
});

function hear({ id, result, error, method, params }) {
  if (id !== undefined) {
    const { settle, fail } = waiting.get(id);
    if (error === undefined) settle(result);
    else fail(new Error(error.message));
  } else if (method === 'Page.loadEventFired') loaded();
  else if (method === 'Log.entryAdded') complaints.push(params.entry.text);
  else if (method === 'Runtime.consoleAPICalled' || method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(params));
  else if (method === 'Network.requestWillBeSent' && !/^(file|about):/.test(params.request.url)) complaints.push(`asks for ${params.request.url}`);
}

function ask(method, params = {}, sessionId = undefined) {
  const id = ++sequence;
  toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((settle, fail) => waiting.set(id, { settle, fail }));
}

const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
const tell = (method, params) => ask(method, params, sessionId);
for (const domain of ['Page', 'Log', 'Runtime', 'Network']) await tell(`${domain}.enable`);
mkdirSync(folder, { recursive: true });

for (const width of [1280, 390]) {
  for (const scheme of ['light', 'dark']) {
    await tell('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await tell('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: width < 600 });
    const ready = new Promise((settle) => {
      loaded = settle;
    });
    await tell('Page.navigate', { url: pathToFileURL(resolve(page)).href });
    await ready;
    const { result } = await tell('Runtime.evaluate', { expression: 'document.documentElement.scrollWidth' });
    if (result.value > width) complaints.push(`${result.value} pixels wide at ${width}`);
    const { data } = await tell('Page.captureScreenshot', { captureBeyondViewport: true });
    writeFileSync(join(folder, `${width}-${scheme}.png`), Buffer.from(data, 'base64'));
  }
}

await ask('Browser.close');
child.on('close', () => {
  rmSync(profile, { recursive: true, force: true });
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
  process.stdout.write(`4 screenshots in ${folder}; complaints of the browser: ${complaints.length}\n`);
  process.exitCode = complaints.length === 0 ? 0 : 1;
});
