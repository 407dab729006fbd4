/** The quick loop behind `npm run check`: lint and unused code beside the build, then the tests that need no server; under ten seconds on two cores. */
import { spawn } from 'node:child_process';

const BUILD = ['build', ['npx', 'tsc', '-p', 'tsconfig.json']];
const TESTS = ['tests without servers', [process.execPath, 'scripts/run-tests.mjs', 'core']];
/** What reads the sources only. */
const BESIDE = [
  ['lint', ['npx', 'biome', 'check', '--error-on-warnings', '.']],
  ['unused code', ['npx', 'knip']],
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

async function buildAndTest() {
  const build = await run(BUILD);
  return build.code === 0 ? [build, await run(TESTS)] : [build];
}

const results = (await Promise.all([buildAndTest(), ...BESIDE.map(run)])).flat();
for (const { name, code, text } of results) {
  process.stdout.write(`== ${name}: ${code === 0 ? 'ok' : `failed (${code})`}\n`);
  if (code !== 0) process.stdout.write(text);
}
process.exitCode = results.some(({ code }) => code !== 0) ? 1 : 0;
