import { DocumentHasher, loadHash } from '../core/verify/checksum.ts';
import { Aftercare } from './aftercare.ts';
import type { Flags } from './arguments.ts';
import { systemClock } from './clock.ts';
import { secretsOf } from './config/resolve-outlets.ts';
import type { CommandName } from './flags.ts';
import { outletFlags } from './outlet-flags.ts';
import type { Output } from './output/output-event.ts';
import { KeyMask } from './report/key-mask.ts';
import { RunWitness } from './report/run-witness.ts';
import type { PartitionOf } from './report/verification-part.ts';
import { sameCommand } from './same-command.ts';
import type { SecretScrubber } from './secrets.ts';

/** The commands that are reported on: those that do something by themselves, at night too. */
const REPORTED: ReadonlySet<CommandName> = new Set<CommandName>(['rebuild', 'swap', 'audit']);

export interface OpenRequest {
  readonly command: CommandName;
  readonly named: readonly string[];
  readonly flags: Flags;
  readonly output: Output;
  readonly scrubber: SecretScrubber;
  readonly version: string;
}

/** What is told of a command besides its output, or null for commands that nothing is told of. Throws `usage` for flags that make no sense. */
export async function openAftercare({ command, named, flags, output, scrubber, version }: OpenRequest): Promise<Aftercare | null> {
  if (!REPORTED.has(command)) return null;
  const outlets = outletFlags(flags);
  for (const secret of outlets.webhook === null ? [] : secretsOf(outlets.webhook)) scrubber.add(secret);
  if (outlets.pushgateway !== null) scrubber.add(decodeURIComponent(outlets.pushgateway.password), [outlets.pushgateway.username]);
  const witness = new RunWitness({
    command,
    tool: `realign ${version}`,
    mask: new KeyMask(outlets.mask),
    partitionOf: await partitionFinder(),
    again: (index, seed) => sameCommand(command, index, seed === null || flags.seed !== undefined ? flags : { ...flags, seed }),
    clock: systemClock,
  });
  const aftercare = new Aftercare({
    ...{ flags: outlets, witness, command, named, output },
    scrub: (text) => scrubber.scrub(text),
    date: () => systemClock.date(),
  });
  await aftercare.begin();
  return aftercare;
}

/** The same hash as the verification's, so that a key is found in the cell that differs. */
async function partitionFinder(): Promise<PartitionOf> {
  const hash = await loadHash();
  return (id, partitions) => new DocumentHasher(hash, partitions).partition(Buffer.from(id));
}
