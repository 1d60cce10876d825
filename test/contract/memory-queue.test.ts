/** The in-memory queue of the tests fulfils the queue contract. */
import { createManualClock } from "../support/clock.ts";
import { createMemoryQueue } from "../support/memory-queue.ts";
import { describeQueue } from "./queue.contract.ts";

describeQueue("memory queue", async () => ({
  open: () => {
    const clock = createManualClock();
    return { queue: createMemoryQueue(clock), pass: async (seconds) => clock.advance(seconds) };
  },
  stop: async () => undefined,
}));
