/** Rooms whose deletion hangs: the collector reports them, and they do not keep the others on the platform. */
import { expect, test } from "vitest";
import { transportFailure } from "../../../src/lib/platform/errors.ts";
import { createVirtualClock } from "../../../tools/simulators/memory/clock.ts";
import { createMemoryGateway, createMemoryWorld } from "../../../tools/simulators/memory/gateway.ts";
import { createSeededRandom } from "../../../tools/simulators/memory/seeded-random.ts";
import { formatMarker } from "../../support/markers.ts";

const runMilliseconds = 600_000;

test.each([
  { hanging: 45, healthy: 100 },
  { hanging: 60, healthy: 0 },
])("Runs report each of $hanging hanging rooms, and $healthy others are gone after three", async (row) => {
  const { hanging, healthy } = row;
  const clock = createVirtualClock(createSeededRandom(1));
  const world = createMemoryWorld(clock);
  const reported: string[] = [];
  let tries = 0;
  const hangingIds = new Set<string>();
  const gateway = createMemoryGateway(world, {
    settings: { GC_MAX_MESSAGES: "10000" },
    onLog: (line) => {
      if (line.includes('"deletion-failed"')) reported.push(JSON.parse(line).room);
    },
    network: (platform) => async (request, authorization) => {
      const id = /conference\/(\d+)\/$/.exec(request.path)?.[1] ?? "";
      const hangs = request.method === "DELETE" && hangingIds.has(id);
      await clock.sleep(hangs ? 10_000 : 50);
      if (!hangs) return platform(request, authorization);
      tries += 1;
      throw transportFailure(request, Object.assign(new Error("timeout"), { code: "ETIMEDOUT" }));
    },
  });
  const since = new Date(clock.now()).toISOString();
  const description = formatMarker({ state: "assigned", since, messageId: "message" });
  for (let index = 0; index < hanging + healthy; index++) {
    const name = `room-${index}`;
    world.platform.seedRooms({ rows: [{ name, description, aliases: [{ alias: name }] }] });
    await world.queues.deletion.put(name);
  }
  for (const { id } of world.platform.rooms().slice(0, hanging)) hangingIds.add(String(id));

  let lastRunAt = clock.now();
  for (let run = 1; run <= 3; run++) {
    await clock.advance(runMilliseconds - (clock.now() - lastRunAt));
    lastRunAt = clock.now();
    const triesBefore = tries;
    let outcome = "running";
    const runEnded = (ended: string) => () => {
      outcome = ended;
    };
    void gateway.runTimer("collectGarbage").then(runEnded("succeeded"), runEnded("failed"));
    await clock.advance(runMilliseconds, () => outcome !== "running");
    // No room may be due in the run after one that has tried them all.
    expect(outcome).toBe(tries > triesBefore ? "failed" : "succeeded");
    expect(reported).toHaveLength(tries);
  }
  expect(new Set(reported).size).toBe(hanging);
  expect(tries).toBeGreaterThan(hanging);
  expect(world.platform.roomCount()).toBe(hanging);
});
