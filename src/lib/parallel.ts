/** Runs a task for each value with limited concurrency. */
import PQueue from "p-queue";

/**
 * Runs up to `concurrency` tasks at once, 16 by default, and resolves when all have finished. After the first failure
 * no further task starts. Rejects with that failure when the running tasks have ended.
 */
export async function forEachParallel<Value>(
  values: readonly Value[],
  task: (value: Value) => Promise<void>,
  concurrency = 16,
): Promise<void> {
  const tasks = new PQueue({ concurrency });
  try {
    await tasks.addAll(values.map((value) => async () => task(value)));
  } catch (error) {
    tasks.clear();
    await tasks.onIdle();
    throw error;
  }
}
