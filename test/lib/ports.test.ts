/** The system's clock and randomness, and deletions of messages whose outcome is known, lost or unknown. */
import { expect, test } from "vitest";
import { deleteConfirmed, type QueueFailure, secureRandom, systemClock } from "../../src/lib/ports.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import { createMemoryQueue } from "../../tools/simulators/memory/queue.ts";

test("now returns the milliseconds since 1970", () => {
  const [before, now, after] = [Date.now(), systemClock.now(), Date.now()];
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(after);
});

test("sleep resolves after the given milliseconds", async () => {
  const startedAt = performance.now();
  await systemClock.sleep(30);
  // A timer may end a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
});

test("integerBelow returns every whole number below the limit and no other", () => {
  const drawn = new Set(Array.from({ length: 2000 }, () => secureRandom.integerBelow(10)));
  expect(drawn).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
});

test("bytes returns the requested number of bytes, different ones each time", () => {
  const [first, second] = [secureRandom.bytes(18), secureRandom.bytes(18)];
  expect([first.length, second.length]).toEqual([18, 18]);
  expect(first).not.toEqual(second);
});

const cases: [(QueueFailure | "done")[], "deleted" | "gone" | "lost" | "unknown"][] = [
  [["done"], "deleted"],
  [["receipt-stale"], "lost"],
  [["message-gone"], "gone"],
  [["refused"], "lost"],
  [["unknown", "done"], "deleted"],
  [["unknown", "message-gone"], "deleted"],
  [["unknown", "receipt-stale"], "lost"],
  [["unknown", "unknown"], "unknown"],
];
test.each(cases)(
  "after the responses %j, deleteConfirmed returns %s and stops",
  async (failures, outcome) => {
    const queue = createMemoryQueue(createManualClock());
    const message = await queue.put("room-a");
    for (const failure of failures) queue.strikeNext("delete", failure === "done" ? {} : { failure });

    expect(await deleteConfirmed(queue, message)).toBe(outcome);
    expect(queue.calls.filter((call) => call === "delete")).toHaveLength(failures.length);
  },
);

test("deleteConfirmed returns lost for a message that is gone after its lease", async () => {
  const queue = createMemoryQueue(createManualClock());
  const message = await queue.put("room-a");
  queue.strikeNext("delete", { failure: "message-gone" });
  expect(await deleteConfirmed(queue, message, () => false)).toBe("lost");
});

test("deleteConfirmed throws an error that is not a QueueError", async () => {
  const queue = createMemoryQueue(createManualClock());
  const message = await queue.put("room-a");
  const broken = {
    ...queue,
    delete: async () => {
      throw new TypeError("a programming error");
    },
  };

  await expect(deleteConfirmed(broken, message)).rejects.toThrow(TypeError);
});
