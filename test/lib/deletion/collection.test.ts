/** Garbage collection: which rooms and messages it deletes, and the limits of one run. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { decisions } from "../../../src/lib/deletion/decisions.ts";
import { queueForDeletion } from "../../../src/lib/ownership/deletion-queue.ts";
import { encodeRoomMessage, loggableName, type RoomMessage } from "../../../src/lib/ownership/room.ts";
import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus, type PlatformStatus } from "../../../src/lib/platform/status.ts";
import type { Queue } from "../../../src/lib/ports.ts";
import { createManualClock } from "../../../tools/simulators/memory/clock.ts";
import { formatMarker, gatewayName } from "../../support/markers.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const skipReasons = () =>
  world.log.lines.flatMap(({ event, fields }) => (event === "deletion-skipped" ? [fields["reason"]] : []));
const invisibleSeconds = () =>
  world.deletion.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000);
const leftBehind = () => [...world.roomNames(), ...world.deletion.texts()];
const addManyEnded = async (count: number) => {
  for (let index = 0; index < count; index++) await world.addEnded(`room-${index}`);
};

describe("Garbage collection", () => {
  test("deletes a room and its message once the message is ten minutes old", async () => {
    await world.addEnded("room-a");
    await world.collectGarbageAfter(600);

    expect(leftBehind()).toEqual([]);
    expect(world.log.events()).toEqual(["room-deleted"]);
    expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: true });
  });

  test("keeps a younger message invisible until it is due, in whole seconds", async () => {
    await world.addEnded("room-a");
    await world.collectGarbageAfter(599.7);

    expect(world.roomNames()).toEqual(["room-a"]);
    expect(invisibleSeconds()).toEqual([1]);
    await world.collectGarbageAfter(1);
    expect(world.roomNames()).toEqual([]);
  });

  test.each<RoomMessage>([{ room: "gone" }, { room: "test_room", queuedBy: "gateway" }])(
    "deletes a young message at once if no later run can delete its room: %j",
    async (message) => {
      await world.deletion.put(encodeRoomMessage(message));
      await world.collectGarbageAfter(0);
      expect(world.deletion.contents()).toEqual([]);
    },
  );

  test("deletes the message if the room is deleted elsewhere during the run", async () => {
    await world.addEnded("room-a");
    world.platform.addFault({ kind: "status", status: 404, method: "DELETE" });
    await world.collectGarbageAfter(600);

    expect(world.deletion.contents()).toEqual([]);
    expect(world.log.fieldsOf("room-deleted")).toEqual({ room: "room-a", wasThere: false });
  });

  test("keeps a room with participants and deletes its message, because its end sends another event", async () => {
    await world.addEnded("room-a");
    world.platform.startConference({ name: "room-a", participants: 1 });
    await world.collectGarbageAfter(600);

    expect(world.room("room-a")).toBeDefined();
    expect(world.deletion.contents()).toEqual([]);
    expect(skipReasons()).toEqual(["live"]);
  });

  test("keeps a room that was handed out after the end of its conference if the receive is slow", async () => {
    const since = new Date(world.clock.now() + 300_000).toISOString();
    const description = formatMarker({ state: "assigned", since, messageId: "m" });
    await world.addEnded("room-a", { description });
    const receive: Queue["receive"] = async (...input) => {
      const messages = await world.deletion.receive(...input);
      world.clock.advance(195);
      return messages;
    };
    await world.collectGarbageAfter(600, { deletion: { ...world.deletion, receive } });

    expect(skipReasons()).toEqual(["assigned-later"]);
  });

  test("logs one warning per run for unmarked rooms that it deletes", async () => {
    for (const room of ["one", "two", "three"]) await world.addEnded(room, { description: "" });
    await world.addEnded("marked");
    await world.collectGarbageAfter(600);

    expect(world.roomNames()).toEqual([]);
    const warnings = world.log.lines.filter(({ event }) => event === "unmarked-room-deleted");
    expect(warnings).toMatchObject([{ fields: { room: "one" } }]);
  });

  test("lets the youngest message of a room decide and deletes the older ones", async () => {
    await world.addEnded("room-a");
    world.clock.advance(300);
    await world.deletion.put("room-a");
    await world.collectGarbageAfter(301);

    expect(world.roomNames()).toEqual(["room-a"]);
    expect(world.deletion.contents()).toHaveLength(1);
    expect(skipReasons()).toEqual(["young"]);
    await world.collectGarbageAfter(299);
    expect(leftBehind()).toEqual([]);
  });
});

describe("What the collector does with a room", () => {
  const queuedAt = createManualClock().now();
  const marked = (state: "pooled" | "assigned", secondsAfterQueueing: number, gateway = gatewayName) => {
    const since = new Date(queuedAt + secondsAfterQueueing * 1000).toISOString();
    return { description: formatMarker({ gateway, state, since, messageId: "claim-1" }) };
  };
  const withoutClaim = () => ({ description: marked("assigned", 60).description.replace(" claim-1", "") });
  const manual = { description: "created manually" };
  const byEvent = {};
  const byGateway = { queuedBy: "gateway", reason: "test" } as const;

  interface Found {
    readonly name?: string;
    readonly fields?: Record<string, unknown>;
    readonly unmarkedRooms?: "keep";
  }

  test.each<[string, Found, Omit<RoomMessage, "room">, string]>([
    ["assigned before its message", { fields: marked("assigned", -5) }, byEvent, "deleted"],
    ["assigned 5 s after its message", { fields: marked("assigned", 5) }, byEvent, "deleted"],
    ["assigned 6 s after its message", { fields: marked("assigned", 6) }, byEvent, "assigned-later"],
    ["assigned later", { fields: marked("assigned", 60) }, byGateway, "assigned-later"],
    [
      "of another claim",
      { fields: marked("assigned", 60) },
      { ...byGateway, claimId: "no" },
      "assigned-later",
    ],
    ["assigned without an ID", { fields: withoutClaim() }, byGateway, "assigned-later"],
    // However far the clock of that claim is ahead.
    ["given up", { fields: marked("assigned", 3600) }, { ...byGateway, claimId: "claim-1" }, "deleted"],
    ["pooled", { fields: marked("pooled", -61) }, byEvent, "pooled"],
    ["pooled", { fields: marked("pooled", -61) }, byGateway, "deleted"],
    ["persistent", { name: "test_room" }, byEvent, "persistent"],
    ["persistent", { name: "vkiosk_7", fields: manual }, byGateway, "persistent"],
    ["unmarked", { fields: { ...manual, aliases: [] } }, byEvent, "deleted"],
    ["unmarked", { fields: manual, unmarkedRooms: "keep" }, byEvent, "foreign"],
    ["unmarked", { fields: manual, unmarkedRooms: "keep" }, byGateway, "deleted"],
    ["marked", { fields: marked("assigned", -5), unmarkedRooms: "keep" }, byEvent, "deleted"],
    ["another owner's", { fields: { ...manual, sync_tag: "directory" } }, byEvent, "foreign"],
    ["another owner's", { fields: { ...manual, sync_tag: "directory" } }, byGateway, "deleted"],
    ["another gateway's", { fields: marked("assigned", -5, "production") }, byEvent, "other-gateway"],
    [
      "another gateway's",
      { fields: marked("assigned", -5, "production") },
      { ...byGateway, claimId: "claim-1" },
      "other-gateway",
    ],
  ])(
    "that is %s (%j, message %j): %s",
    async (_, { name = "room-a", fields, unmarkedRooms }, message, expected) => {
      world.addRoom(name, fields);
      await world.deletion.put(encodeRoomMessage({ room: name, ...message }));
      await world.collectGarbageAfter(600, { unmarkedRooms: unmarkedRooms ?? "collect" });

      const isDeleted = expected === "deleted";
      expect(world.roomNames()).toEqual(isDeleted ? [] : [name]);
      expect(skipReasons()).toEqual(isDeleted ? [] : [expected]);
      expect(world.deletion.contents()).toEqual([]);
    },
  );
});

describe("One run of garbage collection", () => {
  test.each([
    [20, 20],
    [40, 40],
    [100, 45],
  ])("with at most %i messages processes %i of 45, in batches", async (maxMessages, processed) => {
    await addManyEnded(45);
    await world.collectGarbageAfter(600, { maxMessages });

    expect(world.platform.roomCount()).toBe(45 - processed);
    expect(world.deletion.contents()).toHaveLength(45 - processed);
  });

  test("receives again if the queue returns fewer messages than requested", async () => {
    await addManyEnded(12);
    const deletion: Queue = {
      ...world.deletion,
      receive: async (count, leaseSeconds) => world.deletion.receive(Math.min(count, 5), leaseSeconds),
    };
    await world.collectGarbageAfter(600, { deletion });

    expect(leftBehind()).toEqual([]);
  });

  test("reads each room by its name instead of listing all rooms of the platform", async () => {
    world.platform.seedRooms({ count: 700, namePrefix: "other-" });
    await addManyEnded(10);
    await world.collectGarbageAfter(600);

    expect(world.platform.roomCount()).toBe(700);
    expect(world.platform.requests().byRoute["GET /api/admin/configuration/v1/conference/"]).toBe(10);
  });

  test("receives at most the maximum of messages, names without a room included", async () => {
    for (let name = 0; name < 5; name++) await world.deletion.put(`never-made-${name}`);
    await addManyEnded(25);
    await world.collectGarbageAfter(600);

    expect(world.platform.roomCount()).toBe(10);
    expect(world.deletion.texts()).toHaveLength(10);
  });

  test("handles each room once and all rooms, however many there are", async () => {
    await addManyEnded(300);
    world.platform.addFault({ kind: "status", status: 409, method: "DELETE", count: 3 });
    await expect(world.collectGarbageAfter(600, { maxMessages: 10_000 })).rejects.toThrow("3 rooms");

    expect(world.platform.roomCount()).toBe(3);
    expect(world.log.events().filter((event) => event === "deletion-failed")).toHaveLength(3);
  });

  test("starts no further room after 400 s, and leaves it to the next run without an error line", async () => {
    await addManyEnded(9);
    const deleteSlowly: Conferences["delete"] = async (...input) => {
      const wasThere = await world.conferences.delete(...input);
      world.clock.advance(400);
      return wasThere;
    };
    await world.collectGarbageAfter(600, { conferences: { ...world.conferences, delete: deleteSlowly } });

    const left = world.platform.roomCount();
    expect(left).toBeGreaterThan(5);
    expect(world.deletion.texts()).toHaveLength(left);
    expect(world.log.events()).not.toContain("deletion-failed");
    // The next run begins 600 s after this one.
    for (const seconds of invisibleSeconds()) expect(seconds).toBeLessThan(200);
  });

  test("leases messages for nine minutes, longer than a run and shorter than the time to the next", async () => {
    await addManyEnded(2);
    const leases: number[] = [];
    const isLive = async () => {
      leases.push(...invisibleSeconds());
      return false;
    };
    await world.collectGarbageAfter(600, { status: { isLive, liveConferences: async () => new Set() } });

    expect(new Set(leases)).toEqual(new Set([540]));
  });
});

describe("A message of the gateway", () => {
  const putByGateway = async (claimId?: string) =>
    world.deletion.put(encodeRoomMessage({ room: "room-a", queuedBy: "gateway", claimId, reason: "test" }));
  const assigned = (secondsFromNow: number) => {
    const since = new Date(world.clock.now() + secondsFromNow * 1000).toISOString();
    return { description: formatMarker({ state: "assigned", since, messageId: "claim-1" }) };
  };

  test.each([
    ["pooled", () => ({}), "collect"],
    ["given-up", () => assigned(0), "collect"],
    ["unmarked", () => ({ description: "" }), "keep"],
  ] as const)(
    "waits until the conference of a %s room has ended, because an event would keep the room",
    async (_, fields, unmarkedRooms) => {
      world.addRoom("room-a", fields());
      world.platform.startConference({ name: "room-a", participants: 1 });
      await putByGateway("claim-1");
      await world.collectGarbageAfter(600, { unmarkedRooms });
      expect(world.roomNames()).toEqual(["room-a"]);
      expect(skipReasons()).toEqual(["live"]);
      expect(invisibleSeconds()).toEqual([270]);

      world.platform.endConference({ name: "room-a" });
      await world.deletion.put("room-a");
      await world.collectGarbageAfter(600, { unmarkedRooms });
      expect(leftBehind()).toEqual([]);
    },
  );

  test("is dropped if the room is live and its real end deletes it", async () => {
    world.addRoom("room-a", assigned(0));
    world.platform.startConference({ name: "room-a", participants: 1 });
    await putByGateway("claim-0");
    await world.collectGarbageAfter(600);
    expect(leftBehind()).toEqual(["room-a"]);
  });

  test("about a room that a claim gave up counts beside a later event", async () => {
    world.addRoom("room-a", assigned(3600));
    await putByGateway("claim-1");
    await world.deletion.put("room-a");
    await world.collectGarbageAfter(600);
    expect(leftBehind()).toEqual([]);
  });

  test("about a room that does not exist waits ten minutes, because the room may appear late", async () => {
    await putByGateway();
    await world.collectGarbageAfter(60);
    expect(skipReasons()).toEqual(["young"]);
    world.addRoom("room-a");
    await world.collectGarbageAfter(540);
    expect(leftBehind()).toEqual([]);
  });

  test("logs the command and the operator who queued the room", async () => {
    world.addRoom("room-a", assigned(0));
    const operator = "77777777-2222-4333-8444-555555555555";
    await queueForDeletion(world.deletion, { room: "room-a", reason: "ops shrink", operator });
    await world.collectGarbageAfter(600);
    expect(world.log.fieldsOf("room-deleted")).toMatchObject({ reason: "ops shrink", operator });
  });
});

describe("The live check and the look-up", () => {
  test.each([
    ...[302, 400, 401, 405, 407, 408, 409, 418, 421, 423, 425, 429, 500, 502, 504].map(
      (status) => ({ kind: "status", status }) as const,
    ),
    { kind: "html500" } as const,
    { kind: "timeout" } as const,
    { kind: "reset" } as const,
  ])("keep a room with participants if the check fails once with %j", async (fault) => {
    await world.addEnded("room-a");
    world.platform.startConference({ name: "room-a", participants: 2 });
    world.platform.addFault({ ...fault, pathPattern: "/status/v1/", count: 1 });
    await world.collectGarbageAfter(600).catch(() => undefined);
    expect(world.roomNames()).toEqual(["room-a"]);
    await world.collectGarbageAfter(600).catch(() => undefined);
    expect(world.roomNames()).toEqual(["room-a"]);
  });

  test("keep a room with participants if the check gets a page instead of the documented response", async () => {
    await world.addEnded("room-a");
    const status = createPlatformStatus({ call: async () => ({ body: "<html>maintenance</html>" }) });
    await expect(world.collectGarbageAfter(600, { status })).rejects.toThrow(AggregateError);
    expect(world.roomNames()).toEqual(["room-a"]);
  });

  test.each([403, 404])("delete a room if the check is refused with a lasting %i", async (status) => {
    await world.addEnded("room-a");
    world.platform.addFault({ kind: "status", status, method: "GET", pathPattern: "/status/v1/" });
    await world.collectGarbageAfter(600);
    expect(leftBehind()).toEqual([]);
    expect(world.log.fieldsOf("live-check-unavailable")).toEqual({ room: loggableName("room-a") });
  });

  test.each([
    [9, []],
    [10, ["room-a"]],
  ])("come one after the other, and if each takes %i s, they leave the rooms %j", async (seconds, left) => {
    await world.addEnded("room-a");
    const begun: string[] = [];
    const { conferences } = world;
    const findByName: Conferences["findByName"] = async (...input) => {
      begun.push("look-up");
      const room = await conferences.findByName(...input);
      world.clock.advance(seconds);
      return room;
    };
    const platformStatus = createPlatformStatus(world.client);
    const status: Pick<PlatformStatus, "isLive" | "liveConferences"> = {
      isLive: async (...input) => {
        const live = await platformStatus.isLive(...input);
        begun.push("live check");
        world.clock.advance(seconds);
        return live;
      },
      liveConferences: async () => new Set<string>(),
    };
    await world.collectGarbageAfter(600, { conferences: { ...conferences, findByName }, status });
    expect(begun.slice(0, 2)).toEqual(seconds < 10 ? ["look-up", "live check"] : ["look-up"]);
    expect(world.roomNames()).toEqual(left);
    expect(world.log.events()).not.toContain("deletion-failed");
  });

  test("of another system's live room drop the message about it", async () => {
    world.platform.seedRooms({
      rows: [{ name: "theirs", aliases: [{ alias: "theirs" }], sync_tag: "directory" }],
    });
    await world.deletion.put("theirs");
    world.platform.startConference({ name: "theirs", participants: 1 });
    await world.collectGarbageAfter(600);
    expect(world.deletion.texts()).toEqual([]);
  });
});

describe("The names of other people's rooms", () => {
  test("are not logged if the room stays", async () => {
    await world.addEnded("Anna Schmidt (private)", { description: "", sync_tag: "directory" });
    await world.deletion.put("Ben Becker (gone)");
    await world.collectGarbageAfter(600);
    expect(new Set(skipReasons())).toEqual(new Set(["foreign", "gone"]));
    expect(JSON.stringify(world.log.lines)).not.toMatch(/Anna|Ben/);
  });

  test("are logged if the room is deleted", async () => {
    await world.addEnded("Anna Schmidt (private)", { description: "", aliases: [] });
    await world.collectGarbageAfter(600);
    expect(world.log.fieldsOf("room-deleted")).toMatchObject({ room: "Anna Schmidt (private)" });
  });
});

test("docs/architecture.md shows the collector's decisions", async () => {
  const text = await readFile(new URL("../../../docs/architecture.md", import.meta.url), "utf8");
  const rows = [...text.matchAll(/^\| `([\w-]+)` \| .* \| ([a-z-]+) \| ([a-z-]+) \|$/gm)];
  const shown = rows.map(([, state = "", event, gateway]) => [state, { event, gateway }]);
  expect(Object.fromEntries(shown)).toEqual(decisions);
});
