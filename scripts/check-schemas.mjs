/** The JSON Schemas in schema/ are printed by the program itself: this fails when they are older than it, and rewrites them with --write. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAIN = join(PROJECT, 'dist', 'src', 'cli', 'main.js');
const SCHEMAS = { 'config.v1.json': [], 'events.v1.json': ['--events'], 'report.v1.json': ['--report'] };

let stale = 0;
for (const [name, flags] of Object.entries(SCHEMAS)) {
  const file = join(PROJECT, 'schema', name);
  const current = execFileSync(process.execPath, [MAIN, 'schema', ...flags], { encoding: 'utf8' });
  if (process.argv.includes('--write')) writeFileSync(file, current);
  else if (readFileSync(file, 'utf8') !== current) {
    process.stderr.write(`schema/${name} is not what "realign schema ${flags.join(' ')}" prints: npm run build && npm run schema:write\n`);
    stale += 1;
  }
}
process.exitCode = stale === 0 ? 0 : 1;
