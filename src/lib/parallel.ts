/** Runs a task for each value with limited concurrency. */
import PQueue from "p-queue";

const maxParallelTasks = 16;

/**
 * Runs up to 16 tasks at once and resolves when all have finished. After the first failure no further task starts.
 * Rejects with that failure when the running tasks have ended.
 */
export async function forEachParallel<Value>(
  values: readonly Value[],
  task: (value: Value) => Promise<void>,
): Promise<void> {
  const tasks = new PQueue({ concurrency: maxParallelTasks });
  try {
    await tasks.addAll(values.map((value) => async () => task(value)));
  } catch (error) {
    tasks.clear();
    await tasks.onIdle();
    throw error;
  }
}
