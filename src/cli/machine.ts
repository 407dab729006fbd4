import type { Environment } from './config/environment.ts';
import type { SignalSource } from './signals.ts';

export type TextStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };

/** Everything of the process that the program uses; `main` gives the real one, tests their own. */
export interface Machine {
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly signals: SignalSource;
  /** Ends the process at once. */
  readonly leave: (exitCode: number) => void;
}
