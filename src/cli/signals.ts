import { Failure } from '../core/failure.ts';

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** The part of `process` that is needed, so that tests bring their own. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

export interface StopActions {
  /** Told once, at the first signal. */
  readonly onFirst: (signal: StopSignal) => void;
  /** Must leave the program at once. */
  readonly leave: (exitCode: number) => void;
}

/**
 * The first SIGINT, SIGTERM or SIGHUP aborts the signal with a `Failure` (bulks in flight may end, then a checkpoint); a second one leaves at
 * once, which is as safe: a build survives a kill at any point. Call `remove` at the end.
 */
export function stopOnSignals(source: SignalSource, actions: StopActions): { readonly signal: AbortSignal; remove(): void } {
  const controller = new AbortController();
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => {
    const listener = () => {
      if (controller.signal.aborted) {
        actions.leave(name === 'SIGINT' ? 130 : 143);
        return;
      }
      const hint = 'Run the same command again; an unfinished build is resumed by it.';
      controller.abort(new Failure(name === 'SIGINT' ? 'interrupted' : 'terminated', `stopped by ${name}`, { hint }));
      actions.onFirst(name);
    };
    source.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    remove: () => {
      for (const { name, listener } of listeners) source.off(name, listener);
    },
  };
}
