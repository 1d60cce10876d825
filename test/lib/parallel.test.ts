/** Tasks side by side: all are done, a few at a time, and none starts after a failure. */
import { expect, test } from "vitest";
import { forEachParallel } from "../../src/lib/parallel.ts";

const numbers = Array.from({ length: 100 }, (_, index) => index);

test("every value has its turn, at most 16 at a time", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await forEachParallel(numbers, async (value) => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
    done.push(value);
  });
  expect(done.toSorted((one, other) => one - other)).toEqual(numbers);
  expect(most).toBe(16);
});

test("after a failure none starts, and it rejects with the failure when the running ones have ended", async () => {
  const failure = new Error("the third fails");
  const ended: number[] = [];
  const outcome = forEachParallel(numbers, async (value) => {
    if (value === 2) throw failure;
    await Promise.resolve();
    await Promise.resolve();
    ended.push(value);
  });
  await expect(outcome).rejects.toBe(failure);
  expect(ended.length).toBeLessThan(40);
  const atRejection = ended.length;
  await Promise.resolve();
  expect(ended).toHaveLength(atRejection);
});

test("nothing to do is done at once", async () => {
  await expect(
    forEachParallel([], async () => Promise.reject(new Error("not called"))),
  ).resolves.toBeUndefined();
});
