/** Rooms over their maximum age: which ones a run queues for deletion, and when. */
import { describe, expect, test } from "vitest";
import { createOverdueRooms, type OverdueRoomsOptions } from "../../../src/lib/pool/overdue-rooms.ts";
import { formatMarker, markedRooms } from "../../../src/lib/pool/room.ts";
import { usePoolQueues } from "../../support/pool-world.ts";

const world = usePoolQueues();
const maxAgeHours = 24;
/** Overdue for a minute, so due in the window of the clock's first mark. */
const dueHours = 24 + 1 / 60;

const roomSince = (name: string, since: string, state: "assigned" | "pooled" = "assigned") => ({
  id: 1,
  name,
  description: formatMarker({ state, since, messageId: "m-1" }),
});
const hoursOld = (name: string, hours: number, state?: "pooled") =>
  roomSince(name, new Date(world.clock.now() - hours * 3600_000).toISOString(), state);

interface Run extends Partial<OverdueRoomsOptions> {
  readonly live?: ReadonlySet<string> | null;
  readonly deletionDepth?: number | null;
}

async function run(rooms: Parameters<typeof markedRooms>[0] | null, options: Run = {}): Promise<void> {
  const { deletion, clock, log } = world;
  const { live = new Set(), deletionDepth = 0, ...limits } = options;
  await createOverdueRooms({
    deletion,
    clock,
    maxAgeHours,
    maxMessages: 20,
    minAgeSeconds: 600,
    ...limits,
  }).queueForDeletion({ rooms: rooms && markedRooms(rooms), live, deletionDepth }, log);
}

describe("Overdue rooms", () => {
  test("are queued by their plain name and logged with reason and age", async () => {
    await run([hoursOld("room-a", dueHours)]);
    expect(world.deletion.texts()).toEqual(["room-a"]);
    const fields = { room: "room-a", reason: "maximum-age", ageHours: 24 };
    expect(world.log.fieldsOf("room-queued-for-deletion")).toEqual(fields);
  });

  test("are assigned rooms with a marker that are neither persistent nor in use", async () => {
    const unmarked = { id: 2, name: "unmarked", description: "by hand" };
    const others = [
      hoursOld("pooled", dueHours, "pooled"),
      hoursOld("test_room", dueHours),
      hoursOld("vkiosk_1", dueHours),
      hoursOld("live", dueHours),
      roomSince("odd", "yesterday"),
      unmarked,
    ];
    await run([...others, hoursOld("overdue", dueHours)], { live: new Set(["live"]) });
    expect(world.deletion.texts()).toEqual(["overdue"]);
  });

  test("are never queued before their maximum age, and at the latest 5.5 minutes after it", async () => {
    const start = world.clock.now();
    for (let overdueSeconds = 0; overdueSeconds < 600; overdueSeconds += 10) {
      const since = start + overdueSeconds * 1000 - maxAgeHours * 3600_000;
      const room = roomSince(`room-${overdueSeconds}`, new Date(since).toISOString());
      world.clock.advance((start - world.clock.now()) / 1000);
      while (world.deletion.texts().length === 0) {
        await run([room]);
        world.clock.advance(5);
      }
      const queuedSeconds = (world.clock.now() - start) / 1000 - 5;
      expect(queuedSeconds).toBeGreaterThanOrEqual(overdueSeconds);
      expect(queuedSeconds).toBeLessThanOrEqual(overdueSeconds + 330);
      await world.deletion.clear();
    }
  });

  test.each([
    ["the rooms", null, {}],
    ["the running conferences", "rooms", { live: null }],
    ["the depth of the deletion queue", "rooms", { deletionDepth: null }],
  ] as const)("are not queued if %s could not be read", async (_, rooms, unknown) => {
    await run(rooms && [hoursOld("room-a", dueHours)], unknown);
    expect(world.deletion.texts()).toEqual([]);
  });

  test("are queued in one window of five minutes per hour", async () => {
    const rooms = [hoursOld("room-a", dueHours)];
    const queuedAt: number[] = [];
    for (let minute = 0; minute < 180; minute++) {
      const before = world.deletion.texts().length;
      await run(rooms);
      if (world.deletion.texts().length > before) queuedAt.push(minute);
      world.clock.advance(60);
    }
    expect(queuedAt).toEqual([0, 1, 2, 3, 4, 60, 61, 62, 63, 64, 120, 121, 122, 123, 124]);
  });

  test("are queued less often if the collector's minimum age is longer than an hour", async () => {
    const rooms = [hoursOld("room-a", dueHours)];
    const queuedAt: number[] = [];
    for (let mark = 0; mark < 80; mark++) {
      const before = world.deletion.texts().length;
      await run(rooms, { minAgeSeconds: 7200 });
      if (world.deletion.texts().length > before) queuedAt.push(mark * 5);
      world.clock.advance(300);
    }
    expect(queuedAt).toEqual([0, 170, 340]);
  });

  test("are queued up to an hour of the collector's work, the oldest first, and the others postponed", async () => {
    const later = { younger: 0, oldest: 2, older: 1 };
    const rooms = Object.entries(later).map(([name, hours]) => hoursOld(name, dueHours + hours));
    await run(rooms, { maxMessages: 2, deletionDepth: 10 });
    expect(world.deletion.texts()).toEqual(["oldest", "older"]);
    expect(world.log.fieldsOf("overdue-rooms-postponed")).toEqual({ count: 1 });
    await run(rooms, { maxMessages: 2, deletionDepth: 13 });
    expect(world.deletion.texts()).toHaveLength(2);
  });

  test("make the run throw QueueError if one cannot be queued", async () => {
    world.deletion.strikeNext("put", { failure: "unknown" });
    await expect(run([hoursOld("room-a", dueHours)])).rejects.toMatchObject({ code: "storage-unavailable" });
    expect(world.log.events()).toEqual([]);
  });
});
