#!/usr/bin/env node
import { crashText } from './crash.ts';
import { boundGarbage, keepYoungGenerationSmall } from './garbage.ts';

/** A reader that went away (`realign status | head -1`) ends the output, not the work: a rebuild goes on, and its exit code stays true. */
function forgiveClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

keepYoungGenerationSmall();
// Here and not at the top: a static import would load all of the program before the young generation is bounded.
const { run } = await import('./run.ts');

process.on('uncaughtException', (error) => {
  process.stderr.write(crashText(error), () => process.exit(1));
});
forgiveClosedPipe(process.stdout);
forgiveClosedPipe(process.stderr);
boundGarbage();

const exitCode = await run({
  args: process.argv.slice(2),
  environment: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signals: process,
  leave: (code) => process.exit(code),
});
// Connections that a failure left open must not keep the program alive; what was written is flushed first.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
