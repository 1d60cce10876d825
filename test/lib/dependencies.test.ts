/** The object graph: each part gets its settings and the right priority of platform calls. */

import { beforeEach, expect, test } from "vitest";
import type { Adapters } from "../../src/lib/adapters.ts";
import { createDependencies, type Dependencies } from "../../src/lib/dependencies.ts";
import type { MetricsRow } from "../../src/lib/metrics/row.ts";
import type { PlatformCall, PlatformClient } from "../../src/lib/platform/client.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { formatMarker } from "../../src/lib/pool/room.ts";
import { secureRandom } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { openAccess } from "../support/open-access.ts";
import { usePoolWorld } from "../support/pool-world.ts";

interface Seen extends PlatformCall {
  readonly isBackground: boolean;
  readonly sentAt: number;
}

const world = usePoolWorld();
let seen: Seen[];
let failures: PlatformError[];
let rows: MetricsRow[];
beforeEach(() => {
  seen = [];
  failures = [];
  rows = [];
});

function connect(settings: Record<string, string> = {}): Dependencies {
  const { clock, client } = world;
  const watched =
    (isBackground: boolean): PlatformClient["call"] =>
    async (call) => {
      seen.push({ ...call, isBackground, sentAt: clock.now() });
      const failure = failures.shift();
      if (failure) throw failure;
      return client.call(call);
    };
  let ids = 0;
  const adapters: Adapters = {
    createRecords: createMemoryRecordStore(),
    queues: world,
    platformClient: { call: watched(false), background: { call: watched(true) } },
    accessChecks: openAccess,
    metricsSink: async (row) => void rows.push(row),
    clock,
    random: secureRandom,
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
  };
  return createDependencies(loadSettings({ ...exampleEnvironment, ...settings }), adapters);
}
const inBackground = () => [...new Set(seen.map(({ isBackground }) => isBackground))];

test.each<[string, boolean, (parts: Dependencies) => Promise<unknown>]>([
  ["a claim", false, async ({ claims }) => claims.claim(undefined, world.log)],
  ["reading one room", false, async ({ conferences }) => conferences.findByName("room-a")],
  ["listing rooms", true, async ({ sharedList }) => sharedList.list()],
  ["bulk delete", true, async ({ bulkDeletion }) => bulkDeletion.deleteAll(world.log)],
  [
    "provisioning a room",
    true,
    async ({ provisioning }) => provisioning.provision({ reason: "claimed" }, 1, world.log),
  ],
  ["garbage collection", true, async ({ garbageCollection }) => garbageCollection.collect(world.log)],
  ["a metrics run", true, async ({ metricsCollection }) => metricsCollection.collect(world.log)],
])("%s calls the platform in the background: %s", async (_, isBackground, run) => {
  await world.addPooled("room-a");
  world.addRoom("ended");
  await world.deletion.put("ended");
  world.clock.advance(600);
  await run(connect());

  expect(inBackground()).toEqual([isBackground]);
});

test("a call is retried after a transient failure of the platform", async () => {
  world.addRoom("room-a");
  failures = [new PlatformError({ outcome: "unknown", message: "GET: status 503", status: 503 })];
  expect(await connect().conferences.findByName("room-a")).toMatchObject({ name: "room-a" });
});

test("a claim uses the lease and the platform timeout of the settings", async () => {
  await world.addPooled("room-a");
  const held: number[] = [];
  const watch = () =>
    void held.push(...world.pool.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000));
  world.pool.strikeNext("delete", { meanwhile: watch });
  const { claims } = connect({ POOL_LEASE_SECONDS: "100", PLATFORM_TIMEOUT_SECONDS: "7" });
  await claims.claim(undefined, world.log);

  expect(held).toEqual([100]);
  expect(seen.map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([7, 7]);
});

test("four claims per platform slot run at once", async () => {
  const { claims } = connect({ PLATFORM_MAX_CONCURRENCY: "3" });
  const gate = Promise.withResolvers<void>();
  for (let index = 0; index < 20; index++) {
    world.pool.strikeNext("receive", { meanwhile: async () => gate.promise });
  }
  const all = Array.from({ length: 20 }, async () => claims.claim(undefined, world.log));
  await new Promise(setImmediate);
  expect(world.pool.calls.filter((call) => call === "receive")).toHaveLength(12);

  gate.resolve();
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(all.map(() => "rejected"));
});

test("provisioning uses lease, platform timeout, template and ready delay of the settings", async () => {
  const { provisioning } = connect({
    POOL_LEASE_SECONDS: "100",
    PLATFORM_TIMEOUT_SECONDS: "7",
    POOL_READY_DELAY_SECONDS: "90",
    ROOM_TEMPLATE: '{"participant_limit":3}',
  });
  const held: number[] = [];
  const watch = () =>
    void held.push(...world.pool.contents().map(({ visibleAt }) => (visibleAt - world.clock.now()) / 1000));
  world.pool.strikeNext("setInvisible", { meanwhile: watch });
  await provisioning.provision({ reason: "claimed" }, 1, world.log);
  watch();

  expect(held).toEqual([200, 90]);
  expect(seen).toMatchObject([
    { method: "POST", timeoutSeconds: 21, body: { participant_limit: 3, pin: "482913" } },
  ]);
});

test("garbage collection uses the maximum of messages and the minimum age of the settings", async () => {
  for (const name of ["a", "b", "c"]) await world.addEnded(name);
  const collect = async () =>
    connect({ GC_MAX_MESSAGES: "2", GC_MINIMUM_AGE_SECONDS: "700" }).garbageCollection.collect(world.log);
  world.clock.advance(699);
  await collect();
  expect(world.platform.roomCount()).toBe(3);

  world.clock.advance(1);
  await collect();
  expect(world.platform.roomCount()).toBe(1);
});

test("all rows of an instance have its ID, and each run has its own", async () => {
  const { metricsCollection } = connect({ MAX_VMR: "9", POOL_MINIMUM: "2" });
  await metricsCollection.collect(world.log);
  await metricsCollection.collect(world.log);

  expect(rows.map(({ InstanceId }) => InstanceId)).toEqual(["id-1", "id-1"]);
  expect(rows.map(({ RunId }) => RunId)).toEqual(["id-2", "id-3"]);
  expect(rows[0]).toMatchObject({ MaximumRooms: 9, PoolMinimum: 2 });
  expect(world.provisioning.texts()).toHaveLength(2);
});

test("garbage collection queues rooms over ROOM_MAXIMUM_AGE_HOURS for deletion, and none without the setting", async () => {
  const since = new Date(world.clock.now() - (3 * 3600 + 60) * 1000).toISOString();
  for (const name of ["a", "b"])
    world.addRoom(name, { description: formatMarker({ state: "assigned", since, messageId: "m-1" }) });
  const run = async (settings?: Record<string, string>) =>
    connect(settings).garbageCollection.collect(world.log);
  await run();
  await run({ ROOM_MAXIMUM_AGE_HOURS: "4" });
  expect(world.deletion.texts()).toEqual([]);
  await run({ ROOM_MAXIMUM_AGE_HOURS: "3" });
  expect(world.deletionNames().toSorted()).toEqual(["a", "b"]);
});

test("a metrics run counts rooms as outdated after a change of template or PIN length, not of the PIN's digits", async () => {
  const settings = { ROOM_TEMPLATE: '{"participant_limit":3}', ROOM_HOST_PIN: "246810" };
  await connect(settings).provisioning.provision({ reason: "claimed" }, 1, world.log);
  for (const change of [
    {},
    { ROOM_HOST_PIN: "135790" },
    { ROOM_HOST_PIN: "1357" },
    { ROOM_TEMPLATE: '{"participant_limit":4}' },
  ])
    await connect({ ...settings, ...change }).metricsCollection.collect(world.log);
  expect(rows.map(({ OutdatedRooms }) => OutdatedRooms)).toEqual([0, 0, 1, 1]);
});
