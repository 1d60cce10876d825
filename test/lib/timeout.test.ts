/** Time limits of calls. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { withTimeout } from "../../src/lib/timeout.ts";

const runningTimers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("Returns what the call returns and leaves no timer behind", async () => {
  const before = runningTimers();
  expect(await withTimeout(60_000, async (signal) => signal.aborted)).toBe(false);
  expect(runningTimers()).toBe(before);
});

test("Throws the error of the call and leaves no timer behind", async () => {
  const before = runningTimers();
  const call = async () => {
    throw new Error("refused");
  };
  await expect(withTimeout(60_000, call)).rejects.toThrow("refused");
  expect(runningTimers()).toBe(before);
});

test("Aborts the call with the network's code for a timeout", async () => {
  const call = async (signal: AbortSignal) =>
    wait(60_000, undefined, { signal }).catch(() => {
      throw signal.reason;
    });
  await expect(withTimeout(10, call)).rejects.toMatchObject({
    code: "ETIMEDOUT",
    message: "no response in 10 ms",
  });
});
