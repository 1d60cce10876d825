/** Runs a task for each of many values, a few at a time. */

const parallelTasks = 16;

/** Resolves when all are done. After the first failure no further task starts; it rejects once the running ones ended. */
export async function forEachParallel<Value>(
  values: Iterable<Value>,
  task: (value: Value) => Promise<void>,
): Promise<void> {
  const waiting = values[Symbol.iterator]();
  let hasFailed = false;
  const worker = async () => {
    for (let next = waiting.next(); !next.done && !hasFailed; next = waiting.next()) {
      await task(next.value).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: parallelTasks }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}
