/** Garbage collection: what happens to rooms and messages, and the limits of one run. */
import { describe, expect, test } from "vitest";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { encodeRoomMessage, loggableName, type RoomMessage } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/status-api.ts";
import type { Queue } from "../../../src/lib/queue.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const skipReasons = () =>
  world.log.lines.flatMap(({ event, fields }) => (event === "deletion-skipped" ? [fields["reason"]] : []));
const invisibleSeconds = () =>
  world.deletion.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000);
const leftBehind = () => [...world.roomNames(), ...world.deletion.texts()];
const lookUpRoute = "GET /api/admin/configuration/v1/conference/";
const addManyEnded = async (count: number) => {
  for (let index = 0; index < count; index++) await world.addEnded(`room-${index}`);
};

describe("Garbage collection", () => {
  test("deletes a room and its message once the message is ten minutes old, and hides it until then", async () => {
    await world.addEnded("room-a");
    await world.collectGarbageAfter(599.7);
    expect(world.roomNames()).toEqual(["room-a"]);
    expect(invisibleSeconds()).toEqual([1]);
    expect(world.log.fieldsOf("deletion-skipped")).toEqual({ room: loggableName("room-a"), reason: "young" });

    await world.collectGarbageAfter(1);
    expect(leftBehind()).toEqual([]);
    expect(world.log.events()).toEqual(["deletion-skipped", "room-deleted"]);
    expect(world.log.fieldsOf("room-deleted")).toEqual({ room: loggableName("room-a") });
  });

  test.each(["gone", "test_room"])("looks no room up before its message is due: %s", async (room) => {
    await world.deletion.put(room);
    await world.collectGarbageAfter(0);
    expect(world.platform.requests().byRoute[lookUpRoute]).toBeUndefined();
    await world.collectGarbageAfter(600);
    expect(world.deletion.contents()).toEqual([]);
  });

  test("waits for a room that the gateway has queued and that appears late, and logs who queued it", async () => {
    const operator = "77777777-2222-4333-8444-555555555555";
    await queueForDeletion(world.deletion, { room: "room-a", reason: "ops shrink", operator });
    await world.collectGarbageAfter(60);
    expect(skipReasons()).toEqual(["young"]);
    world.addRoom("room-a");
    await world.collectGarbageAfter(540);
    expect(leftBehind()).toEqual([]);
    expect(world.log.fieldsOf("room-deleted")).toMatchObject({ reason: "ops shrink", operator });
  });

  test("keeps all messages about a room until the youngest is due, because an older one may give the room up", async () => {
    world.addRoom("room-a");
    const givenUp = {
      room: "room-a",
      queuedBy: "gateway",
      claimId: "claim-1",
      reason: "assignment-unknown",
    } as const;
    await queueForDeletion(world.deletion, givenUp);
    world.clock.advance(60);
    await world.deletion.put("room-a");
    await world.collectGarbageAfter(550);
    expect(world.deletion.texts()).toEqual([encodeRoomMessage(givenUp), "room-a"]);
    expect(invisibleSeconds()).toEqual([50, 50]);
    await world.collectGarbageAfter(50);
    expect(leftBehind()).toEqual([]);
  });

  test("logs one warning per run for unmarked rooms that it deletes", async () => {
    for (const room of ["one", "two", "three"]) await world.addEnded(room, { description: "" });
    await world.addEnded("marked");
    await world.collectGarbageAfter(600);

    expect(world.roomNames()).toEqual([]);
    const warnings = world.log.lines.filter(({ event }) => event === "unmarked-room-deleted");
    expect(warnings).toMatchObject([{ fields: { room: loggableName("one") } }]);
  });
});

describe("A live room", () => {
  const byGateway = { queuedBy: "gateway", reason: "test" } as const;
  const foreign = { description: "", sync_tag: "directory" };

  test.each<[string, Record<string, unknown>, Omit<RoomMessage, "room">, number[]]>([
    ["the message of an event, because its end sends another one", {}, {}, []],
    ["the message of an event about another system's room", foreign, {}, []],
    ["the gateway's message, if the end of the conference deletes the room", {}, byGateway, []],
    ["nothing, if an event would keep the given-up room", {}, { ...byGateway, claimId: "claim-1" }, [270]],
  ])("stays, and the collector deletes %s", async (_, fields, content, left) => {
    await world.addEnded("room-a", fields);
    await world.deletion.clear();
    const text = encodeRoomMessage({ room: "room-a", ...content });
    await world.deletion.put(text);
    world.platform.startConference({ name: "room-a", participants: 1 });
    await world.collectGarbageAfter(600);
    expect(world.roomNames()).toEqual(["room-a"]);
    expect(invisibleSeconds()).toEqual(left);
    if (left.length === 0) return;

    expect(world.deletion.texts()).toEqual([text]);
    expect(skipReasons()).toEqual(["live"]);
    world.platform.endConference({ name: "room-a" });
    await world.collectGarbageAfter(600);
    expect(leftBehind()).toEqual([]);
  });

  test("stays if the platform refuses the live check with 405, which does not mean that it hides its status", async () => {
    await world.addEnded("room-a");
    world.platform.startConference({ name: "room-a", participants: 2 });
    world.platform.addFault({ status: 405, pathPattern: "/status/v1/" });
    await expect(world.collectGarbageAfter(600)).rejects.toThrow("1 rooms could not be collected");
    expect(world.roomNames()).toEqual(["room-a"]);
  });

  test.each([
    [403, "no body", undefined],
    [404, "no body", undefined],
    [403, "JSON", { error: "Not allowed" }],
  ])("is not recognised if the platform refuses the check with %i and %s", async (status, _, body) => {
    await world.addEnded("room-a");
    world.platform.addFault({ kind: "status", status, body, method: "GET", pathPattern: "/status/v1/" });
    await world.collectGarbageAfter(600);
    expect(leftBehind()).toEqual([]);
    expect(world.log.fieldsOf("live-check-unavailable")).toEqual({ room: loggableName("room-a") });
  });

  // A call may take as long as PLATFORM_TIMEOUT_SECONDS allows.
  test.each([
    [19, [], []],
    [20, ["room-a"], ["busy"]],
  ])(
    "after a look of %i s is deleted or left to the next run, without a failure",
    async (seconds, left, skipped) => {
      await world.addEnded("room-a");
      const findByName: Conferences["findByName"] = async (...input) => {
        const row = await world.conferences.findByName(...input);
        world.clock.advance(seconds);
        return row;
      };
      await world.collectGarbageAfter(600, { conferences: { ...world.conferences, findByName } });
      expect([world.roomNames(), skipReasons()]).toEqual([left, skipped]);
    },
  );
});

describe("One run of garbage collection", () => {
  test.each([
    [20, 20],
    [40, 40],
    [100, 45],
  ])(
    "with at most %i messages handles %i of 45, names without a room included",
    async (maxMessages, handled) => {
      // Each message counts, although five are about one room.
      for (let message = 0; message < 5; message++) await world.deletion.put("never-made");
      await addManyEnded(40);
      // A queue may return fewer messages than there are.
      const receive: Queue["receive"] = async (count, lease) =>
        world.deletion.receive(Math.min(count, 7), lease);
      await world.collectGarbageAfter(600, { maxMessages, deletion: { ...world.deletion, receive } });

      expect(world.deletion.contents()).toHaveLength(45 - handled);
      expect(world.platform.roomCount()).toBe(45 - handled);
    },
  );

  test("handles each room once and all rooms, however many there are, and reads each by its name", async () => {
    await addManyEnded(300);
    // Received after a whole batch, when its room has failed already.
    await world.deletion.put("room-0");
    world.platform.addFault({ kind: "status", status: 409, method: "DELETE", count: 3 });
    await expect(world.collectGarbageAfter(600, { maxMessages: 10_000 })).rejects.toThrow("3 rooms");

    expect(world.platform.roomCount()).toBe(3);
    expect(world.log.events().filter((event) => event === "deletion-failed")).toHaveLength(3);
    expect(world.platform.requests().byRoute[lookUpRoute]).toBe(300);
  });

  test("starts no further room after 400 s, and leaves it to the next run without an error line", async () => {
    await addManyEnded(9);
    const remove: Conferences["delete"] = async (...input) => {
      const wasThere = await world.conferences.delete(...input);
      world.clock.advance(400);
      return wasThere;
    };
    const conferences = { ...world.conferences, delete: remove };
    await world.collectGarbageAfter(600, { conferences, maxAgeHours: 1 });

    const left = world.platform.roomCount();
    expect(left).toBeGreaterThan(5);
    expect(world.deletion.texts()).toHaveLength(left);
    expect(world.log.events()).not.toContain("deletion-failed");
    expect(skipReasons()).toEqual([]);
    // The next run begins 600 s after this one.
    for (const seconds of invisibleSeconds()) expect(seconds).toBeLessThan(200);
  });

  test("deletes no room after 400 s, although it looked at the room before", async () => {
    await world.addEnded("room-a");
    const findByName: Conferences["findByName"] = async (...input) => {
      const row = await world.conferences.findByName(...input);
      world.clock.advance(19);
      return row;
    };
    const takeSlot = async () => {
      world.clock.advance(390);
      return { [Symbol.dispose]: () => undefined };
    };
    const conferences = { ...world.conferences, findByName };
    await world.collectGarbageAfter(600, { conferences, takeSlot });
    expect([world.roomNames(), skipReasons()]).toEqual([["room-a"], ["busy"]]);
  });

  test("leases all messages until nine minutes after its start, when it has ended and the next has not begun", async () => {
    await addManyEnded(257);
    const startedAt = world.clock.now() + 600_000;
    const leases = new Set<number>();
    const status = createPlatformStatus(world.client);
    const isLive: PlatformStatus["isLive"] = async (...input) => {
      world.clock.advance(1);
      for (const { visibleAt, dequeueCount } of world.deletion.contents())
        if (dequeueCount > 0) leases.add((visibleAt - startedAt) / 1000);
      return status.isLive(...input);
    };
    await world.collectGarbageAfter(600, { maxMessages: 999, status: { ...status, isLive } });

    expect(leases).toEqual(new Set([540]));
    expect(leftBehind()).toEqual([]);
  });
});
