/**
 * Runs both at once and waits for both, even when one fails: nothing still reads a side that is being closed. The signal given to them ends
 * with the first failure, and with `signal`.
 */
export async function bothAtOnce(
  signal: AbortSignal,
  first: (stop: AbortSignal) => Promise<void>,
  second: (stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const sibling = new AbortController();
  const stop = AbortSignal.any([signal, sibling.signal]);
  let failure: { readonly error: unknown } | undefined;
  const guarded = async (work: (stop: AbortSignal) => Promise<void>): Promise<void> => {
    try {
      await work(stop);
    } catch (error) {
      failure ??= { error };
      sibling.abort(error);
    }
  };
  await Promise.all([guarded(first), guarded(second)]);
  if (failure !== undefined) throw failure.error;
}
