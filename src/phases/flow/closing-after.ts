/** Runs `work` and then `close`; the failure of `work` counts before one of `close`, which is often only its echo. */
export async function closingAfter<T>(close: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  await close();
  return result;
}
