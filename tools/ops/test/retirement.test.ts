/** A retirement on queues in memory, and the note that it leaves in the description of a room. */
import { beforeEach, expect, test } from "vitest";
import type { ConferenceRow } from "../../../src/lib/platform/conferences.ts";
import { maxDescriptionCharacters, parseMarker } from "../../../src/lib/pool/room.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { createManualClock, type ManualClock } from "../../../test/support/clock.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { formatMarker } from "../../../test/support/markers.ts";
import { createMemoryQueue, type MemoryQueue } from "../../../test/support/memory-queue.ts";
import { createRecordingLog } from "../../../test/support/recording-log.ts";
import { createRetirement, isTakenOut, type RetirementOptions, withTakenOut } from "../pool/retirement.ts";
import { viewRoom } from "../pool/room-views.ts";

const settings = loadSettings(exampleEnvironment);
const { leaseSeconds } = settings.pool;

const since = "2026-01-01T00:00:00.000Z";

let clock: ManualClock;
let pool: MemoryQueue;
let deletion: MemoryQueue;

beforeEach(() => {
  clock = createManualClock();
  pool = createMemoryQueue(clock);
  deletion = createMemoryQueue(clock);
});

const rowOf = (name: string): ConferenceRow => ({
  id: 1,
  name,
  description: formatMarker({ state: "pooled", since }),
  aliases: [{ alias: name }],
});

function retirement(changes: Partial<RetirementOptions> = {}) {
  return createRetirement({
    pool,
    deletion,
    conferences: { findByName: async (name) => rowOf(name), update: async () => true },
    settings,
    replenishment: undefined,
    command: "shrink",
    maxHeld: 0,
    clock,
    log: createRecordingLog(),
    ...changes,
  });
}

test("Queues the room for deletion and deletes its name from the pool", async () => {
  await pool.put("room-1");
  expect(await retirement().retire(() => true)).toBe("room-1");
  expect([pool.contents().length, deletion.contents().length]).toEqual([0, 1]);
});

test("Queues nothing once the lease has ended: another claim may have handed the room out", async () => {
  await pool.put("room-1");
  const conferences: RetirementOptions["conferences"] = {
    findByName: async (name) => rowOf(name),
    update: async () => {
      clock.advance(leaseSeconds + 1);
      return true;
    },
  };
  await expect(retirement({ conferences }).retire(() => true)).rejects.toMatchObject({
    code: "claim-failed",
  });
  expect([pool.contents().length, deletion.contents().length]).toEqual([1, 0]);
});

test("Holds back no more names than allowed, and releases them", async () => {
  for (let room = 0; room < 5; room++) await pool.put(`room-${room}`);
  const held = retirement({ maxHeld: 1 });
  expect(await held.retire(() => false)).toBeUndefined();
  const leased = () => pool.contents().filter(({ visibleAt }) => visibleAt > clock.now()).length;
  expect(leased()).toBe(2);
  await held.release();
  expect(leased()).toBe(0);
});

test.each([100, 400])(
  "Finds the chosen room behind %i others, although each name takes 60 ms to receive",
  async (others) => {
    for (let room = 0; room < others; room++) await pool.put(`new-${room}`);
    await pool.put("old");
    const receive: MemoryQueue["receive"] = async (...input) => {
      clock.advance(0.06);
      return pool.receive(...input);
    };
    const slow = retirement({ pool: { ...pool, receive }, maxHeld: 1000 });
    expect(await slow.retire((room) => room === "old")).toBe("old");
  },
);

test("Takes the next room if the first one does not exist, and none if no other is left", async () => {
  await pool.put("gone");
  await pool.put("room-1");
  const conferences: RetirementOptions["conferences"] = {
    findByName: async (name) => (name === "gone" ? undefined : rowOf(name)),
    update: async () => true,
  };
  const retiring = retirement({ conferences });
  expect(await retiring.retire(() => true)).toBe("room-1");
  expect(await retiring.retire(() => true)).toBeUndefined();
  expect(pool.contents()).toEqual([]);
});

test("Does not touch a caller's room, although its name is in the pool a second time", async () => {
  await pool.put("room-1");
  const description = formatMarker({ state: "assigned", since, messageId: "another-message" });
  const conferences: RetirementOptions["conferences"] = {
    findByName: async (name) => ({ ...rowOf(name), description }),
    update: async () => true,
  };
  expect(await retirement({ conferences }).retire(() => true)).toBeUndefined();
  expect([pool.contents().length, deletion.contents().length]).toEqual([0, 0]);
});

const assigned = formatMarker({ state: "assigned", since, messageId: "m-1", fingerprint: "0a1b2c3d" });
const row = (description: string) => ({ id: 1, name: "room-1", description });

test.each(["", `${"long text ".repeat(30)}\n`])(
  "Keeps the marker and the platform's limit with the text %j",
  (text) => {
    const description = withTakenOut(`${text}${assigned}`, "shrink");
    expect(parseMarker(description)).toEqual(parseMarker(assigned));
    expect(description.length).toBeLessThanOrEqual(maxDescriptionCharacters);
    expect(isTakenOut(row(description))).toBe(true);
    expect(viewRoom(row(description), false)?.state).toBe("waiting");
    expect(viewRoom(row(description), true)?.state).toBe("live");
  },
);

test("A room that a caller has is not taken out, and neither is one that is back in the pool", () => {
  expect(isTakenOut(row(assigned))).toBe(false);
  const pooled = withTakenOut(formatMarker({ state: "pooled", since }), "shrink");
  expect(isTakenOut(row(pooled))).toBe(false);
  expect(withTakenOut("no marker", "shrink")).toBe("no marker");
});
