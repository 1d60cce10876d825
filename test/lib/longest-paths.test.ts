/** No function runs into the host's timeout, even if every setting has its maximum and every call takes as long as it may. */
import { expect, test } from "vitest";
import type { Dependencies } from "../../src/lib/dependencies.ts";
import type { PlatformCall } from "../../src/lib/platform/client.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { type Queue, QueueError } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { settlePromises } from "../../tools/simulators/memory/clock.ts";
import { createMemoryGateway, memorySettings, type PortCall } from "../../tools/simulators/memory/gateway.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const maxima = {
  PLATFORM_TIMEOUT_SECONDS: "60",
  POOL_LEASE_SECONDS: "3600",
  POOL_READY_DELAY_SECONDS: "3600",
  GC_MAX_MESSAGES: "10000",
};
const settings = { ...maxima, POOL_MINIMUM: "50", ROOM_MAXIMUM_AGE_HOURS: "1" };
const timeoutSeconds = Number(maxima.PLATFORM_TIMEOUT_SECONDS);
const storageTimeoutSeconds = 3;
const sinkTimeoutSeconds = 20;
// What the host runs at once on an instance (host.json), of which one after the other counts the pool and puts a name.
const requestsAtOnce = 5;
const maxSeconds = 9 * 60;
// API Management cuts a request off.
const maxRequestSeconds = 200;

test.each(Object.entries(maxima))("%s has no greater value than %s", (name, value) => {
  const greater = { ...memorySettings, [name]: String(Number(value) + 1) };
  expect(() => loadSettings(greater)).toThrow(name);
});

/** Lets time pass. What begins at the same time ends at the same time. */
async function pass(seconds: number): Promise<void> {
  // Work that a former test has left behind does not move the clock of this one.
  const { clock } = world;
  const endsAt = clock.now() + seconds * 1000;
  await settlePromises();
  clock.advance(Math.max(0, endsAt - clock.now()) / 1000);
}

const bodyOf = ({ body }: PlatformCall) => (typeof body === "function" ? body() : body);

interface Slowness {
  /** Whether a call of the platform times out. The default is that all do. */
  readonly timesOut?: (call: PlatformCall) => boolean;
  /** Whether a call of the platform is fast. */
  readonly isFast?: (call: PlatformCall) => boolean;
  /** The operations of queues that fail. */
  readonly failing?: readonly (keyof Queue)[];
}

/** Creates everything that a function can ask for, over a platform and a storage that take as long as they may. */
function slowest({ timesOut = () => true, isFast = () => false, failing = [] }: Slowness = {}): Dependencies {
  async function before(port: PortCall): Promise<void> {
    if (port.port === "metrics") return world.clock.advance(sinkTimeoutSeconds);
    if (port.port !== "platform") {
      await pass(storageTimeoutSeconds);
      if (port.port !== "records" && failing.includes(port.operation))
        throw new QueueError("unknown", port.operation);
      return;
    }
    if (port.operation === "takeSlot") waitForSlot(port.startBefore);
    if (port.operation !== "call" || isFast(port.call)) return;
    const { call, isBackground } = port;
    // Its unit of work has waited for the slot.
    if (!call.slot) waitForSlot(call.startBefore ?? world.clock.now() + (isBackground ? 300_000 : 10_000));
    if (!timesOut(call)) return;
    await pass(call.timeoutSeconds ?? timeoutSeconds);
    throw new PlatformError({ outcome: "unknown", isTimeout: true, message: `${call.method} ${call.path}` });
  }
  function waitForSlot(startBefore: number): void {
    world.clock.advance(Math.max(0, startBefore - 1 - world.clock.now()) / 1000);
  }
  async function after(port: PortCall): Promise<void> {
    if (port.port === "platform" && port.operation === "call" && !isFast(port.call))
      await pass(port.call.timeoutSeconds ?? timeoutSeconds);
  }
  return createMemoryGateway(world, { settings, before, after }).dependencies;
}

/** Returns how many seconds of the virtual clock pass, whether it succeeds or fails. */
async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = world.clock.now();
  await run().catch(() => undefined);
  return (world.clock.now() - startedAt) / 1000;
}

test.each<[string, Slowness["timesOut"]]>([
  ["is never found", undefined],
  ["is found without an alias and cannot be deleted", ({ method }) => method !== "GET"],
])("provisionRoom ends in time if the create times out and the room %s", async (_, timesOut) => {
  const { provisioning } = slowest({
    timesOut: (call) => {
      if (call.method === "POST") world.platform.seedRooms({ rows: [{ ...bodyOf(call), aliases: [] }] });
      return timesOut?.(call) ?? true;
    },
    failing: ["delete"],
  });
  const request = { reason: "bulk", upTo: 5 };
  const seconds = await secondsOf(async () => provisioning.provision(request, 1, world.log));
  const othersFirst = (requestsAtOnce - 1) * 2 * storageTimeoutSeconds;
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds + othersFirst).toBeLessThan(maxSeconds);
});

test.each<[string, Slowness]>([
  ["every call times out", {}],
  ["storage fails too", { failing: ["delete", "setInvisible"] }],
  ["no room exists", { timesOut: () => false }],
  ["only the live check times out", { timesOut: ({ path }) => path.includes("status") }],
])("collectGarbage ends in time if %s", async (_, slowness) => {
  for (let room = 0; room < Number(maxima.GC_MAX_MESSAGES); room++) await world.deletion.put(`room-${room}`);
  world.clock.advance(3600);
  const { garbageCollection } = slowest(slowness);
  const seconds = await secondsOf(async () => garbageCollection.collect(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxSeconds);
});

test("collectMetrics ends in time if every call of the platform and of storage times out", async () => {
  const { metricsRun } = slowest({ failing: ["count", "peek"] });
  const seconds = await secondsOf(async () => metricsRun(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxSeconds);
});

const isGet = ({ method }: PlatformCall) => method === "GET";

test.each<[string, Slowness]>([
  ["look-up", {}],
  ["change", { isFast: isGet }],
])(
  "createRoom ends before API Management cuts it off if its %s and storage time out",
  async (_, slowness) => {
    await world.addPooled("room-a");
    const { idempotentClaims } = slowest({ ...slowness, failing: ["put", "delete", "setInvisible"] });
    const key = { application: "application", key: "key" };
    const seconds = await secondsOf(async () => idempotentClaims.claim(key, "tag", world.log));
    expect(seconds).toBeGreaterThan(timeoutSeconds);
    expect(seconds).toBeLessThan(maxRequestSeconds);
  },
);

test("listRooms ends before API Management cuts it off", async () => {
  const seconds = await secondsOf(slowest({ timesOut: () => false }).sharedList.list);
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxRequestSeconds);
});

test("bulkDeleteRooms ends before API Management cuts it off, apart from its last call", async () => {
  const { bulkDeletion } = slowest({ timesOut: ({ method }) => method === "DELETE" });
  const seconds = await secondsOf(async () => bulkDeletion.deleteAll(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxRequestSeconds + timeoutSeconds);
});
