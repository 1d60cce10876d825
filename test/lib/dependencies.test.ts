/** The object graph: each part gets its own settings, limits and priority. */
import { beforeEach, describe, expect, test } from "vitest";
import { createAdapters, type Dependencies } from "../../src/lib/dependencies.ts";
import type { PlatformCall } from "../../src/lib/platform/client.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { createMemoryGateway } from "../../tools/simulators/memory/gateway.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import { usePoolWorld } from "../support/pool-world.ts";

test("The client of the platform makes as many calls at once as PLATFORM_MAX_CONCURRENCY says", async () => {
  const settings = loadSettings({ ...exampleEnvironment, PLATFORM_MAX_CONCURRENCY: "3" });
  const { platformClient, clock } = createAdapters(settings);
  for (let slot = 1; slot <= 3; slot++)
    expect(await platformClient.takeClaimSlot(clock.now() + 60_000)).toBeDefined();
  expect(await platformClient.takeClaimSlot(clock.now() + 100)).toBeUndefined();
});

describe("The object graph", () => {
  const world = usePoolWorld();
  /** After how many seconds it is too late for the slot of each claim. */
  let slotsOfClaims: number[];
  let calls: (PlatformCall & { readonly isBackground: boolean; readonly startsWithin?: number })[];
  beforeEach(() => {
    calls = [];
    slotsOfClaims = [];
  });

  function connect(settings: Record<string, string> = {}, callSeconds = 0): Dependencies {
    let ids = 0;
    return createMemoryGateway(world, {
      settings,
      adapters: { newId: () => `id-${++ids}` },
      after: ({ operation }) => void (operation === "call" && world.clock.advance(callSeconds)),
      before: (port) => {
        if (port.port !== "platform") return;
        if (port.operation === "takeSlot") {
          if (!port.isBackground) slotsOfClaims.push((port.startBefore - world.clock.now()) / 1000);
          return;
        }
        const { startBefore } = port.call;
        const startsWithin = startBefore && { startsWithin: (startBefore - world.clock.now()) / 1000 };
        calls.push({ ...port.call, isBackground: port.isBackground, ...startsWithin });
      },
    }).dependencies;
  }
  /** Returns for how many seconds the names in the pool are invisible. */
  const invisibleSeconds = () =>
    world.pool.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000);

  /**
   * The calls of the platform as text: method, priority, timeout, after how many seconds it is too late to send it, and
   * whether the call is sent in the slot of its unit of work.
   */
  const limitsOfCalls = () =>
    calls.map(({ method, isBackground, timeoutSeconds = "default", startsWithin = "default", slot }) => {
      const priority = isBackground ? "background" : "caller";
      return [method, priority, timeoutSeconds, startsWithin, ...(slot ? ["in slot"] : [])].join(" ");
    });

  test.each<[string, string[], (parts: Dependencies) => Promise<unknown>]>([
    [
      "a claim",
      ["GET caller 10 12.5 in slot", "PATCH caller 10 24 in slot"],
      async ({ claims }) => claims.claim(undefined, world.log),
    ],
    [
      "a repeated create",
      ["GET caller 10 12.5 in slot", "PATCH caller 10 24 in slot", "GET caller default default"],
      async ({ idempotentClaims }) => {
        const repeat = async () =>
          idempotentClaims.claim({ application: "consumer", key: "key-1" }, undefined, world.log);
        await repeat();
        await repeat();
      },
    ],
    [
      "reading one room",
      ["GET caller default default"],
      async ({ conferences }) => conferences.findByName("room-a"),
    ],
    ["listing rooms", ["GET background default 60"], async ({ sharedList }) => sharedList.list()],
    [
      "bulk delete",
      [
        "GET background default 150",
        "DELETE background default 149 in slot",
        "DELETE background default 149 in slot",
        "GET background default 147",
      ],
      async ({ bulkDeletion }) => bulkDeletion.deleteAll(world.log),
    ],
    [
      "provisioning a room",
      ["POST background 30 120"],
      async ({ provisioning }) => provisioning.provision({ reason: "claimed" }, 1, world.log),
    ],
    [
      "garbage collection",
      [
        "GET background default 400 in slot",
        "GET background default 19 in slot",
        "DELETE background default 19 in slot",
        "GET background default 397",
      ],
      async ({ garbageCollection }) => garbageCollection.collect(world.log),
    ],
    [
      "a metrics run",
      ["GET background default 240", "GET background default 240", "GET background default 240"],
      async ({ metricsRun }) => metricsRun(world.log),
    ],
  ])("lets %s call the platform with the priority, the limits and the slot of its kind", async (...given) => {
    const [, expected, run] = given;
    await world.addPooled("room-a");
    await world.addEnded("ended");
    world.clock.advance(600);
    await run(connect({ ROOM_MAXIMUM_AGE_HOURS: "1" }, 1));

    expect(limitsOfCalls()).toEqual(expected);
  });

  test("lets claims and provisioning use lease, platform timeout, template and ready delay of the settings", async () => {
    await world.addPooled("room-a");
    const { claims, provisioning } = connect({
      POOL_LEASE_SECONDS: "60",
      PLATFORM_TIMEOUT_SECONDS: "15",
      POOL_READY_DELAY_SECONDS: "900",
      ROOM_TEMPLATE: '{"participant_limit":3}',
    });
    const held: number[] = [];
    for (const operation of ["delete", "setInvisible"] as const)
      world.pool.strikeNext(operation, { meanwhile: () => void held.push(...invisibleSeconds()) });
    await claims.claim(undefined, world.log);
    await provisioning.provision({ reason: "claimed" }, 1, world.log);

    expect([...held, ...invisibleSeconds()]).toEqual([60, 1155, 900]);
    // A claim uses a quarter of its lease.
    expect(slotsOfClaims).toEqual([7.5]);
    expect(limitsOfCalls()).toEqual([
      "GET caller 15 7.5 in slot",
      "PATCH caller 15 15 in slot",
      "POST background 45 120",
    ]);
    const body = { participant_limit: 3, pin: identities.hostPin };
    expect(calls.at(-1)).toMatchObject({ body });
  });

  test("lets garbage collection use the maximum of messages, the minimum age and the unmarked rooms of the settings", async () => {
    await world.addEnded("unmarked", { description: "" });
    for (const name of ["a", "b"]) await world.addEnded(name);
    const settings = { GC_MAX_MESSAGES: "2", GC_MINIMUM_AGE_SECONDS: "700", UNMARKED_ROOMS: "keep" };
    const collect = async () => connect(settings).garbageCollection.collect(world.log);
    world.clock.advance(699);
    await collect();
    expect(world.platform.roomCount()).toBe(3);

    world.clock.advance(1);
    await collect();
    expect(world.roomNames()).toEqual(["unmarked", "b"]);
  });
});
