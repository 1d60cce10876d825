/** The queue of the simulation fulfils the queue contract. */

import type { Ports } from "../simulation/faults.ts";
import { createLedger } from "../simulation/ledger.ts";
import { createSimulatedPlatform } from "../simulation/simulated-platform.ts";
import { simulateQueue } from "../simulation/simulated-queue.ts";
import type { Task } from "../simulation/task.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { createMemoryQueue } from "../support/memory-queue.ts";
import { describeQueue } from "./queue.contract.ts";

const task = { functionName: "contract", deletionMessages: new Map() } as unknown as Task;
const ports: Ports = {
  call: async ({ effect }) => effect(task),
  deliver: (_process, _milliseconds, settle) => settle(),
};

describeQueue("the simulation's queue", async () => ({
  open: () => {
    const clock = createManualClock();
    const now = () => clock.now();
    const ledger = createLedger(createSimulatedPlatform(now), now, []);
    const queue = simulateQueue("deletion", createMemoryQueue(clock), ports, ledger);
    return { queue, pass: async (seconds) => clock.advance(seconds) };
  },
  stop: async () => undefined,
}));
