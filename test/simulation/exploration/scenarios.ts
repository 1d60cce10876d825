/** The scenarios that are explored. Each is as small as it can be and still has the conflict that its name says. */
import { deliverEnds } from "../callers.ts";
import { newRoomOf } from "../start-step.ts";
import type { World } from "../world.ts";
import {
  assignedRoom,
  bulkDelete,
  collect,
  create,
  ended,
  plan,
  poolRoom,
  provision,
  requestProvisioning,
  type Scenario,
} from "./scenario.ts";

const minutes = 60_000;

export const scenarios: Readonly<Record<string, Scenario>> = {
  "a claim whose lease ends": {
    steps: [create(0, { hasTag: true }), create(1, { hasTag: true })],
    lapse: { seconds: 310, times: 1 },
    arrange: async (world) => poolRoom(world, "room-a"),
  },

  "claim and bulk delete": {
    steps: [create(0), bulkDelete(1)],
    async arrange(world) {
      await poolRoom(world, "room-a");
      world.platform.add(newRoomOf("persistent", 1));
    },
  },

  "claim, stray event and collector": {
    steps: [create(0), collect(1), ended("room-a", 2)],
    async arrange(world) {
      await poolRoom(world, "room-a");
      await reportEnd(world, "room-a");
      world.clock.elapse(11 * minutes);
    },
  },

  "claim of an unmarked room, stray event and collector": {
    steps: [create(0), collect(1)],
    async arrange(world) {
      await poolRoom(world, "room-a", { isMarked: false });
      await reportEnd(world, "room-a");
      world.clock.elapse(11 * minutes);
    },
  },

  "bulk delete of an unmarked room with each failure": {
    steps: [bulkDelete(0)],
    faults: { short: 1, whole: 2 },
    arrange: async (world) => poolRoom(world, "room-a", { isMarked: false }),
  },

  "bulk delete of an unmarked room that is sent twice": {
    steps: [bulkDelete(0), bulkDelete(1)].map((step) => ({
      ...step,
      isReady: ({ running }) => running.size === 0,
    })),
    arrange: async (world) => poolRoom(world, "room-a", { isMarked: false }),
  },

  "provisioning and bulk delete": {
    steps: [provision(0), bulkDelete(1)],
    arrange: async (world) => requestProvisioning(world, { reason: "bulk", upTo: 1 }),
  },

  "provisioning with a lost response at each call": {
    steps: [provision(0), create(1)],
    lapse: { seconds: 610, times: 1 },
    faults: { short: 1, whole: 1 },
    arrange: async (world) => requestProvisioning(world, { reason: "bulk", upTo: 1 }),
  },

  "provisioning and a create before the room is ready": {
    steps: [provision(0), create(1)],
    lapse: { seconds: 80, times: 2 },
    arrange: async (world) => requestProvisioning(world, { reason: "bulk", upTo: 1 }),
  },

  "provisioning with a long ready delay": {
    steps: [provision(0), create(1)],
    readyDelaySeconds: 900,
    lapse: { seconds: 610, times: 1 },
    arrange: async (world) => requestProvisioning(world, { reason: "bulk", upTo: 1 }),
  },

  "two repeats with one idempotency key": {
    level: { max: 2, min: 1 },
    steps: [create(0, { hasTag: true, key: "key" }), create(1, { hasTag: true, key: "key" })],
    async arrange(world) {
      await poolRoom(world, "room-a");
      await poolRoom(world, "room-b");
    },
  },

  "two collectors": {
    steps: [collect(0), collect(1)],
    lapse: { seconds: 550, times: 1 },
    async arrange(world) {
      assignedRoom(world, "room-a");
      await reportEnd(world, "room-a");
      world.clock.elapse(6 * minutes);
      await reportEnd(world, "room-a");
      world.clock.elapse(8 * minutes);
    },
  },

  "a live and a persistent room before the collector": {
    steps: [collect(0)],
    faults: { short: 1, whole: 2 },
    async arrange(world) {
      assignedRoom(world, "room-a");
      world.platform.add(newRoomOf("persistent", 1));
      await reportEnd(world, "room-a");
      // Of another system, and of another gateway.
      world.platform.add(newRoomOf("foreign", 1));
      world.platform.add(newRoomOf("foreign", 2));
      await reportEnd(world, "vkiosk_persistent-1");
      await reportEnd(world, "foreign-1");
      await reportEnd(world, "foreign-2");
      world.clock.elapse(11 * minutes);
      world.platform.startConference("room-a");
      world.platform.startConference("foreign-1");
      world.clock.elapse(1000);
    },
  },

  "an event with each failure": {
    steps: [ended("room-a", 0)],
    faults: { short: 3, whole: 4 },
    arrange: async (world) => poolRoom(world, "room-a"),
  },
};

/** Accepts an event without any fault. */
async function reportEnd(world: World, name: string): Promise<void> {
  void deliverEnds(world, [name], 0, plan);
  await world.clock.advance(1000);
}
