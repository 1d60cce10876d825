/** Runs a task for each of many values with limited concurrency. */

const maxParallelTasks = 16;

/**
 * Runs up to 16 tasks at once and resolves when all have finished. After the first failure no further task starts.
 * Rejects with that failure when the running tasks have ended.
 */
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
  const results = await Promise.allSettled(Array.from({ length: maxParallelTasks }, worker));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}
