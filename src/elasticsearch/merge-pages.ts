/**
 * Yields what the generators give, in the order it comes, reading one page ahead in each. Whatever ends it (an error, a consumer that
 * stops) waits for the pages on their way and closes every generator.
 */
export async function* mergePages<T>(generators: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const pending = new Map(generators.map((generator) => [generator, nextOf(generator)]));
  try {
    while (pending.size > 0) {
      const { generator, result } = await Promise.race(pending.values());
      if (result.done === true) {
        pending.delete(generator);
        continue;
      }
      pending.set(generator, nextOf(generator));
      yield result.value;
    }
  } finally {
    await Promise.allSettled(pending.values());
    await Promise.allSettled(generators.map((generator) => generator.return(undefined)));
  }
}

function nextOf<T>(generator: AsyncGenerator<T>): Promise<Next<T>> {
  const next = generator.next().then((result) => ({ generator, result }));
  // It may fail while the consumer is busy with another page; the race that follows throws it then.
  next.catch(() => undefined);
  return next;
}

interface Next<T> {
  readonly generator: AsyncGenerator<T>;
  readonly result: IteratorResult<T>;
}
