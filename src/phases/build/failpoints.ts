/**
 * The moments at which a test may hold or kill the program (docs/faults.md). Only tests give a `failpoint` in the `BuildContext`; without one each of them is a call on
 * undefined. In the order in which a build passes them.
 */
export const FAILPOINTS = [
  'publication.created',
  'slot.created',
  'slot.ready',
  'index.created',
  'chunk.opened',
  'chunk.read',
  'chunk.written',
  'chunk.settled',
  'bulk.sent',
  'bulk.acknowledged',
  'checkpoint.written',
  'replay.durable',
  'replay.acknowledged',
  'load.finished',
  'catchup.applied',
  'catchup.restored',
  'verify.held',
  'verify.frozen',
  'verify.compared',
  'swap.asked',
  'swap.made',
  'swap.recorded',
  'cleanup.drained',
  'cleanup.slot-dropped',
  'cleanup.publication-dropped',
  'cleanup.settings-finished',
  'cleanup.build-alias-removed',
  'cleanup.generations-deleted',
  'failed.slot-dropped',
] as const;

export type FailpointName = (typeof FAILPOINTS)[number];

/** Resolves when the build may go on. */
export type Failpoint = (name: FailpointName) => Promise<void>;
