/** Deletions of messages whose outcome is known, lost or unknown. */
import { expect, test } from "vitest";
import { deleteConfirmed } from "../../src/lib/confirmed-delete.ts";
import type { QueueFailure } from "../../src/lib/ports.ts";
import { createManualClock } from "../support/clock.ts";
import { createMemoryQueue } from "../support/memory-queue.ts";

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
