/** Parts that have run for long work as they did at first. */
import { expect, test } from "vitest";
import { secureRandom } from "../../src/lib/ports.ts";
import { createMemoryGateway } from "../../tools/simulators/memory/gateway.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

/** Uses one object many times, and expects that the last use sees what the second one saw. Returns what it saw. */
async function useManyTimes<Seen>(use: () => Promise<Seen>, times = 200): Promise<Seen> {
  // The first use may open or learn something.
  await use();
  const early = await use();
  let late = early;
  for (let time = 3; time <= times; time++) late = await use();
  expect(late).toEqual(early);
  return late;
}

/** Starts a gateway of its own in the world, and returns what uses it and counts its calls of the platform. */
function oldGateway() {
  let calls = 0;
  const before = ({ operation }: { operation: string }) => {
    if (operation === "call") calls += 1;
  };
  const settings = { MAX_VMR: "3", POOL_MINIMUM: "3", PLATFORM_MAX_CONCURRENCY: "3" };
  // Pauses have the same length each time.
  const random = { ...secureRandom, integerBelow: () => 0 };
  const gateway = createMemoryGateway(world, { settings, before, adapters: { random } });
  return {
    ...gateway,
    create: async () => gateway.call("createRoomFromQueue"),
    provision: async () => {
      while (await gateway.deliver());
    },
    takeCalls: () => {
      const taken = calls;
      calls = 0;
      return taken;
    },
  };
}

test("A gateway serves the fiftieth room as it served the second", async () => {
  const { call, create, provision, runTimer, takeCalls } = oldGateway();
  await runTimer("collectMetrics");
  await provision();
  const seen = await useManyTimes(async () => {
    const { status, json } = await create();
    const { name } = json as { name: string };
    await call("updateRoom", { roomName: name, json: { participant_limit: 4 } });
    await call("listRooms");
    await call("eventSink", { json: { event: "conference_ended", data: { name } } });
    await provision();
    world.clock.advance(600);
    await runTimer("collectGarbage");
    await runTimer("collectMetrics");
    return { status, calls: takeCalls(), rooms: world.roomNames().length, row: world.rows.at(-1)?.PoolDepth };
  }, 50);
  expect(seen).toMatchObject({ status: 200, rooms: 3, row: 3 });
});

test.each(["refuse", "reset", "503"] as const)(
  "A gateway recovers from the tenth outage (%s) as from the second",
  async (mode) => {
    const { call, create, provision, runTimer } = oldGateway();
    const seen = await useManyTimes(async () => {
      await world.platform.goDown(mode);
      await world.pool.put("lost");
      const responses = [await create(), await create(), await call("listRooms")];
      const failed = responses.map(({ status, headers }) => [status, headers["retry-after"]]);
      await world.deletion.put("ended");
      world.clock.advance(600);
      for (const timer of ["collectGarbage", "collectMetrics"] as const)
        await runTimer(timer).catch(() => undefined);
      await provision().catch(() => undefined);
      await world.platform.goUp();
      // Longer than every pause, after an outage and of the messages of rooms.
      world.clock.advance(3600);
      await runTimer("collectGarbage");
      await Promise.all([world.pool.clear(), world.provisioning.clear(), world.deletion.clear()]);
      await runTimer("collectMetrics");
      await provision();
      return { failed, created: (await create()).status, listed: (await call("listRooms")).status };
    }, 10);
    expect(seen).toMatchObject({ created: 200, listed: 200 });
    expect(seen.failed.map(([status]) => status)).toEqual([503, 503, 503]);
  },
);
