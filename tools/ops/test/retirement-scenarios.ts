/** Small scenarios in which an operator's command takes a room out of the pool. */
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import {
  bulkDelete,
  create,
  plan,
  poolRoom,
  type Scenario,
  type ScenarioStep,
} from "../../../test/simulation/exploration/scenario.ts";
import type { ProcessParts } from "../../../test/simulation/processes.ts";
import { retireRoom } from "../pool/retirement.ts";

const retirement = (process: number): ScenarioStep => ({
  label: `retirement on process ${process}`,
  process,
  start: (world) => void world.process(process).run("retireRoom", plan, retire),
});

async function retire({ adapters, settings, log }: ProcessParts): Promise<void> {
  const { queues, platformClient, clock } = adapters;
  const conferences = createConferences(platformClient);
  await retireRoom({ ...queues, conferences, settings, command: "shrink", clock, log });
}

export const retirementScenarios: Readonly<Record<string, Scenario>> = {
  "retirement and claim": {
    steps: [retirement(0), create(1)],
    lapse: { seconds: 310, times: 1 },
    arrange: async (world) => poolRoom(world, "room-a"),
  },

  "retirement and bulk delete": {
    steps: [retirement(0), bulkDelete(1)],
    arrange: async (world) => poolRoom(world, "room-a"),
  },
};
