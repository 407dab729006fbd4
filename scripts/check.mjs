/** The quick loop behind `npm run check`, after the build: lint, unused code and the tests that need no server, side by side. */
import { spawn } from 'node:child_process';

const PARTS = [
  ['lint', ['npx', 'biome', 'check', '--error-on-warnings', '.']],
  ['unused code', ['npx', 'knip']],
  ['tests without servers', [process.execPath, 'scripts/run-tests.mjs', 'core']],
];

function run([name, [command, ...args]]) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
  }
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ name, code: 1, text: error.message }));
    child.once('close', (code) => resolve({ name, code: code ?? 1, text }));
  });
}

const results = await Promise.all(PARTS.map(run));
for (const { name, code, text } of results) {
  process.stdout.write(`== ${name}: ${code === 0 ? 'ok' : `failed (${code})`}\n`);
  if (code !== 0) process.stdout.write(text);
}
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
