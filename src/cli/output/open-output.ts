import type { Flags } from '../arguments.ts';
import type { Environment } from '../config/environment.ts';
import type { Machine, TextStream } from '../machine.ts';
import type { SecretScrubber } from '../secrets.ts';
import { HumanOutput } from './human-output.ts';
import { JsonOutput } from './json-output.ts';
import { LiveBlock } from './live-block.ts';
import type { Output } from './output-event.ts';
import { paintFor } from './paint.ts';

const TICK_MS = 30_000;

/** The output that the flags, the environment and the terminal call for. Everything written passes the scrubber; `complete` makes commands whole. */
export function openOutput(machine: Machine, flags: Flags, scrubber: SecretScrubber, complete: (text: string) => string): Output {
  const { stdout, stderr, environment } = machine;
  const result = (text: string) => void stdout.write(scrubber.scrub(text));
  if (flags.output === 'json') return new JsonOutput(result, () => new Date());
  const live = showsLiveBlock(stderr, flags, environment) ? new LiveBlock(scrubbed(stderr, scrubber)) : null;
  const output = new HumanOutput({
    result,
    narration: (text) => void stderr.write(scrubber.scrub(text)),
    live,
    complete,
    resultPaint: paintFor(showsColour(stdout, flags, environment)),
    paint: paintFor(showsColour(stderr, flags, environment)),
    quiet: flags.quiet === true,
  });
  return withTicks(output);
}

/** `--output json` as it stands on the command line, for failures that come before the flags are understood. */
export function outputFlag(args: readonly string[]): Flags {
  const json = args.some((arg, at) => /^(--output|-o)=?json$/.test(arg) || (/^(--output|-[a-z]*o)$/.test(arg) && args[at + 1] === 'json'));
  return json ? { output: 'json' } : {};
}

function showsLiveBlock(stream: TextStream, flags: Flags, environment: Environment): boolean {
  // The block shows one index; side by side they tell of themselves line by line.
  const several = flags.parallel !== undefined && flags.parallel !== '1';
  return stream.isTTY === true && !several && flags['no-progress'] !== true && environment.CI === undefined && environment.TERM !== 'dumb';
}

/** https://no-color.org: set to anything but the empty text. */
function showsColour(stream: TextStream, flags: Flags, environment: Environment): boolean {
  return stream.isTTY === true && flags['no-color'] !== true && environment.NO_COLOR === undefined && environment.TERM !== 'dumb';
}

/** cli-progress needs a whole terminal stream, not only a way to write. */
function scrubbed(stream: TextStream, scrubber: SecretScrubber): TextStream {
  return Object.create(stream, { write: { value: (text: string) => stream.write(scrubber.scrub(text)) } }) as TextStream;
}

function withTicks(output: HumanOutput): Output {
  const timer = setInterval(() => output.tick(), TICK_MS);
  timer.unref();
  return {
    emit: (index, event) => output.emit(index, event),
    close: () => {
      clearInterval(timer);
      output.close();
    },
  };
}
