/** Rooms that cannot be collected are tried in the next run and are seen by the alert, whichever timer comes first. */
import { describe, expect, test } from "vitest";
import { allOf, snapshotOf } from "../../support/infra/snapshots.ts";
import { usePoolWorld } from "../../support/pool-world.ts";

const world = usePoolWorld();

const rule = allOf(snapshotOf("production"), "Insights/scheduledQueryRules").find(({ name }) =>
  name.endsWith("-deletion-queue-old"),
);
if (!rule) throw new Error("There is no rule deletion-queue-old");
const { windowSize, criteria } = rule.properties;
const [{ query, threshold }] = criteria.allOf;
const windowMinutes = Number(/^PT(\d+)M$/.exec(String(windowSize))?.[1]);
const limitSeconds = Number(/DeletionOldestSeconds > (\d+)/.exec(String(query))?.[1]);

type Order = "metrics first" | "collector first";

/** Runs the timers for a day from the next full ten minutes on. Returns the oldest age of each metrics row, by minute. */
async function runDay(order: Order): Promise<ReadonlyMap<number, number>> {
  const ages = new Map<number, number>();
  const startsAt = Math.ceil(world.clock.now() / 600_000) * 600_000;
  const collect = async () => world.collectGarbageAfter(0).catch(() => undefined);
  for (let minute = 0; minute < 24 * 60; minute += 5) {
    // Timers begin a little late, and retries take time.
    world.clock.advance(Math.max(0, startsAt + minute * 60_000 + 1500 - world.clock.now()) / 1000);
    if (minute % 10 === 0 && order === "collector first") await collect();
    ages.set(minute, (await world.collectMetrics())?.DeletionOldestSeconds ?? 0);
    if (minute % 10 === 0 && order === "metrics first") await collect();
  }
  return ages;
}

/** Returns the minutes at which the rule's condition holds. It is evaluated every five minutes. */
function firingMinutes(ages: ReadonlyMap<number, number>): number[] {
  return [...ages.keys()].filter((now) => {
    const rows = [...ages].filter(
      ([minute, age]) => minute > now - windowMinutes && minute <= now && age > limitSeconds,
    );
    return rows.length >= Number(threshold);
  });
}

const faults = {
  "whose live check fails": { kind: "status", status: 502, pathPattern: "/status/v1/" },
  "that the platform refuses to delete": { kind: "status", status: 409, method: "DELETE" },
} as const;

describe.each(Object.keys(faults) as (keyof typeof faults)[])("Fifteen rooms %s", (kind) => {
  test.each(["metrics first", "collector first"] as const)(
    "fire the alert within two hours (%s)",
    async (order) => {
      for (let room = 0; room < 15; room++) await world.addEnded(`room-${room}`);
      world.platform.addFault(faults[kind]);
      const ages = await runDay(order);
      const [first = Number.POSITIVE_INFINITY] = firingMinutes(ages);
      expect(first).toBeGreaterThanOrEqual(limitSeconds / 60);
      expect(first).toBeLessThanOrEqual(120);
      expect(world.roomNames()).toHaveLength(15);
    },
  );
});
