/** Tasks with limited concurrency. */
import { expect, test } from "vitest";
import { forEachParallel } from "../../src/lib/parallel.ts";

const numbers = Array.from({ length: 100 }, (_, index) => index);

test("`forEachParallel` runs a task for every value, at most 16 at a time", async () => {
  const done: number[] = [];
  let running = 0;
  let maxRunning = 0;
  await forEachParallel(numbers, async (value) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await Promise.resolve();
    running -= 1;
    done.push(value);
  });
  expect(done.toSorted((one, other) => one - other)).toEqual(numbers);
  expect(maxRunning).toBe(16);
});

test("`forEachParallel` starts no task after a failure, and rejects when the running tasks have ended", async () => {
  const failure = new Error("the first fails");
  const slow = Promise.withResolvers<void>();
  let ended = 0;
  let rejection: unknown;
  const outcome = forEachParallel(numbers, async (value) => {
    if (value === 0) throw failure;
    await slow.promise;
    ended += 1;
  }).catch((error: unknown) => {
    rejection = error;
  });
  // Every microtask has run by then, so only the slow tasks are left to wait for.
  await new Promise((resolve) => void setImmediate(resolve));
  expect(rejection).toBeUndefined();
  slow.resolve();
  await outcome;
  expect(rejection).toBe(failure);
  expect(ended).toBeLessThanOrEqual(16);
});
