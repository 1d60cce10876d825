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
import { retireRooms } from "../pool/retirement.ts";

const retire = (process: number): ScenarioStep => ({
  label: `retirement on process ${process}`,
  process,
  start: (world) => void world.process(process).run("retireRoom", plan, retireRoom),
});

async function retireRoom({ adapters, settings, log }: ProcessParts): Promise<void> {
  const { queues, platformClient, clock } = adapters;
  await retireRooms({
    ...queues,
    conferences: createConferences(platformClient),
    settings,
    command: "shrink",
    amount: 1,
    clock,
    log,
  });
}

export const retirementScenarios: Readonly<Record<string, Scenario>> = {
  "retirement and claim": {
    steps: [retire(0), create(1)],
    lapse: { seconds: 310, times: 1 },
    arrange: async (world) => poolRoom(world, "room-a"),
  },

  "retirement and bulk delete": {
    steps: [retire(0), bulkDelete(1)],
    arrange: async (world) => poolRoom(world, "room-a"),
  },
};
