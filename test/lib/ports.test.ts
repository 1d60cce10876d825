/** The system's clock and randomness, and deletions of messages whose outcome is known, lost or unknown. */
import { expect, test } from "vitest";
import { secureRandom, systemClock } from "../../src/lib/ports.ts";
import { deleteConfirmed, type QueueFailure } from "../../src/lib/queue.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import { createMemoryQueue } from "../../tools/simulators/memory/queue.ts";

test("The system's clock returns the milliseconds since 1970, and sleeps for as many as it is told", async () => {
  const startedAt = Date.now();
  expect(systemClock.now() - startedAt).toBeLessThan(10_000);
  await systemClock.sleep(30);
  // A timer may end a millisecond early.
  expect(systemClock.now() - startedAt).toBeGreaterThanOrEqual(28);
  await expect(systemClock.sleep(3_600_000, AbortSignal.abort())).rejects.toThrow("aborted");
});

test("`integerBelow` returns every whole number below the limit and no other", () => {
  const drawn = new Set(Array.from({ length: 2000 }, () => secureRandom.integerBelow(10)));
  expect(drawn).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
});

test.each<[string, (QueueFailure | "done")[], boolean?]>([
  ["deleted", ["done"]],
  ["lost", ["receipt-stale"]],
  ["gone", ["message-gone"]],
  ["lost", ["message-gone"], false],
  ["lost", ["refused"]],
  ["deleted", ["unknown", "done"]],
  ["deleted", ["unknown", "message-gone"]],
  ["lost", ["unknown", "receipt-stale"]],
  ["unknown", ["unknown", "unknown"]],
])(
  "`deleteConfirmed` returns %s after: %s, while the lease runs or not",
  async (outcome, failures, isHeld = true) => {
    const queue = createMemoryQueue(createManualClock());
    const message = await queue.put("room-a");
    for (const failure of failures) queue.strikeNext("delete", failure === "done" ? {} : { failure });
    expect(await deleteConfirmed(queue, message, () => isHeld)).toBe(outcome);
    expect(queue.calls.filter((call) => call === "delete")).toHaveLength(failures.length);
  },
);

test("`deleteConfirmed` throws an error that is not a QueueError", async () => {
  const queue = createMemoryQueue(createManualClock());
  const message = await queue.put("room-a");
  const broken = { ...queue, delete: async () => Promise.reject(new TypeError("a programming error")) };
  await expect(deleteConfirmed(broken, message)).rejects.toThrow(TypeError);
});
