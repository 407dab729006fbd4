/**
 * node scripts/in-one-process.mjs FILE…   runs compiled test files in this process: a process for each would cost more than the tests of the core themselves. Not for files
 * with `before` or `beforeEach` at their top: here those would run for the tests of all files, and what they open would wait for its turn.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
