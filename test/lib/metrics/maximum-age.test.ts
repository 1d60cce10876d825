/** ROOM_MAXIMUM_AGE_HOURS over many hours: metrics runs, the real garbage collector and a virtual clock. */
import { expect, test } from "vitest";
import { createOverdueRooms } from "../../../src/lib/pool/overdue-rooms.ts";
import { formatMarker } from "../../../src/lib/pool/room.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();
const maxAgeHours = 2;
const hours = 7;
const minutes = (count: number) => count * 60_000;

interface Schedule {
  /** How late or early the metrics run of a five-minute mark is; undefined if it is missed. */
  readonly metricsOffsetSeconds?: (mark: number) => number | undefined;
  /** When an instance starts in the five minutes after a mark, which runs the metrics once more. */
  readonly startUpSeconds?: (mark: number) => number | undefined;
  readonly collectorOffsetSeconds?: (mark: number) => number | undefined;
  readonly minAgeSeconds?: number;
}

interface Outcome {
  readonly overdueAt: ReadonlyMap<string, number>;
  readonly goneAt: ReadonlyMap<string, number>;
  readonly queuedAt: ReadonlyMap<string, readonly number[]>;
}

/** Runs both timers as the schedule says, each run on a fresh instance, for 25 rooms that become overdue over time. */
async function live(schedule: Schedule): Promise<Outcome> {
  const start = world.clock.now();
  const overdueAt = new Map<string, number>();
  for (let index = 0; index < 25; index++) {
    const name = `room-${index}`;
    const overdue = start + index * minutes(11) + index * 13_000;
    overdueAt.set(name, overdue);
    const since = new Date(overdue - maxAgeHours * minutes(60)).toISOString();
    world.addRoom(name, { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) });
  }
  world.platform.startConference({ name: "room-3", participants: 2 });
  world.addRoom("young", {
    description: formatMarker({
      state: "assigned",
      since: new Date(start + minutes(60 * (hours - maxAgeHours)) + 1).toISOString(),
      messageId: "m-1",
    }),
  });
  await world.addPooled("pooled");

  const goneAt = new Map<string, number>();
  const queuedAt = new Map<string, number[]>();
  for (const { at, run } of runsOf(schedule, start)) {
    world.clock.advance((at - world.clock.now()) / 1000);
    const lines = world.log.lines.length;
    await run();
    for (const { event, fields } of world.log.lines.slice(lines)) {
      const room = String(fields["room"]);
      if (event === "room-queued-for-deletion") queuedAt.set(room, [...(queuedAt.get(room) ?? []), at]);
      if (event === "room-deleted") goneAt.set(room, at);
    }
  }
  return { overdueAt, goneAt, queuedAt };
}

function runsOf(schedule: Schedule, start: number): { at: number; run: () => Promise<void> }[] {
  const { minAgeSeconds = 600, metricsOffsetSeconds = () => 0, collectorOffsetSeconds = () => 0 } = schedule;
  const marks = Array.from({ length: hours * 12 }, (_, mark) => mark);
  const timed =
    (offsetSeconds: (mark: number) => number | undefined, run: () => Promise<void>) => (mark: number) => {
      const offset = offsetSeconds(mark);
      return offset === undefined ? [] : [{ at: start + minutes(5 * mark) + offset * 1000, run }];
    };
  const metrics = async () => collectMetrics(minAgeSeconds);
  const collect = async () => world.collectGarbageAfter(0, { minAgeSeconds });
  return [
    ...marks.flatMap(timed(metricsOffsetSeconds, metrics)),
    ...marks.flatMap(timed(schedule.startUpSeconds ?? (() => undefined), metrics)),
    ...marks.filter((mark) => mark % 2 === 0).flatMap(timed(collectorOffsetSeconds, collect)),
  ]
    .filter(({ at }) => at >= start && at < start + minutes(60 * hours))
    .toSorted((one, other) => one.at - other.at);
}

async function collectMetrics(minAgeSeconds: number): Promise<void> {
  const limits = { maxAgeHours, maxMessages: 20, minAgeSeconds };
  await world.collectMetrics({ overdueRooms: createOverdueRooms({ ...world, ...limits }) });
}

/** The platform keeps exactly the rooms that are young, live or pooled. */
function expectOnlyOverdueRoomsGone(outcome: Outcome): void {
  expect(world.roomNames().toSorted()).toEqual(["pooled", "room-3", "young"]);
  for (const [room, times] of outcome.queuedAt)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(outcome.overdueAt.get(room) ?? Number.NaN);
  expect(outcome.queuedAt.has("room-3")).toBe(false);
}

/** Returns for how many minutes the slowest room was overdue. */
function slowestMinutes({ overdueAt, goneAt }: Outcome): number {
  const waits = [...goneAt].map(([room, at]) => (at - (overdueAt.get(room) ?? Number.NaN)) / minutes(1));
  return Math.max(...waits);
}

/** Returns the time between two messages of one room, in minutes. */
function gapsMinutes({ queuedAt }: Outcome): number[] {
  return [...queuedAt.values()].flatMap((times) =>
    times.slice(1).map((at, index) => (at - (times[index] ?? Number.NaN)) / minutes(1)),
  );
}

const jitter = (mark: number) => ((mark * 97) % 299) - 29;
const anHourIsMissed = (offset: (mark: number) => number) => (mark: number) =>
  mark >= 14 && mark < 26 ? undefined : offset(mark);

const anyTime = { metricsOffsetSeconds: jitter, collectorOffsetSeconds: jitter };

test.each<[string, Schedule, number]>([
  ["if every run is punctual", {}, 21],
  ["if runs are up to 29 s early or 269 s late", anyTime, 30],
  ["if the first run of a room is missed", { metricsOffsetSeconds: anHourIsMissed(() => 0) }, 81],
  ["if runs are missed and the others early or late", { metricsOffsetSeconds: anHourIsMissed(jitter) }, 85],
  ["if the collector runs a moment before the metrics", { metricsOffsetSeconds: () => 2 }, 26],
])("Every overdue room is queued once and gone in time %s", async (_, schedule, maxMinutes) => {
  const outcome = await live(schedule);
  expectOnlyOverdueRoomsGone(outcome);
  expect(slowestMinutes(outcome)).toBeLessThanOrEqual(maxMinutes);
  expect(gapsMinutes(outcome)).toEqual([]);
});

test("Runs on startup queue a room again within its five minutes only, and every overdue room is gone in time", async () => {
  const outcome = await live({ startUpSeconds: (mark) => (mark * 61) % 300 });
  expectOnlyOverdueRoomsGone(outcome);
  expect(slowestMinutes(outcome)).toBeLessThanOrEqual(30);
  const gaps = gapsMinutes(outcome);
  expect(gaps.length).toBeGreaterThan(0);
  expect(Math.max(...gaps)).toBeLessThan(5);
});

test("A room is queued once an hour while the collector does not run, and gone when it runs again", async () => {
  const collectorOffsetSeconds = (mark: number) => (mark < 60 ? undefined : 1);
  const outcome = await live({ metricsOffsetSeconds: jitter, collectorOffsetSeconds });
  expectOnlyOverdueRoomsGone(outcome);
  const gaps = gapsMinutes(outcome);
  expect(gaps.length).toBeGreaterThan(25);
  expect(Math.min(...gaps)).toBeGreaterThan(55);
  expect(Math.max(...gaps)).toBeLessThan(65);
});

test("Every overdue room is gone in time if the collector's minimum age is a multiple of the hour", async () => {
  const outcome = await live({ minAgeSeconds: 3600 });
  expectOnlyOverdueRoomsGone(outcome);
  expect(slowestMinutes(outcome)).toBeLessThanOrEqual(75);
});
