/**
 * No function runs into the host's timeout, even if every setting has its maximum and every call takes as long as it
 * may.
 */
import { expect, test } from "vitest";
import type { Dependencies } from "../../src/lib/dependencies.ts";
import type { PlatformCall } from "../../src/lib/platform/client.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { type Queue, QueueError } from "../../src/lib/queue.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { settlePromises } from "../../tools/simulators/memory/clock.ts";
import { createMemoryGateway, memorySettings, type PortCall } from "../../tools/simulators/memory/gateway.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const maxima = {
  PLATFORM_TIMEOUT_SECONDS: "20",
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

test.each(Object.entries(maxima))("The setting %s has no greater value than %s", (name, value) => {
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
    throw new PlatformError({
      outcome: "unknown",
      code: "platform-timeout",
      message: `${call.method} ${call.path}`,
    });
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

const isGet = ({ method }: PlatformCall) => method === "GET";
const isDelete = ({ method }: PlatformCall) => method === "DELETE";
const isOfStatus = ({ path }: PlatformCall) => path.includes("status");
const never = () => false;
/** The create times out and leaves a room without an alias, and so do other calls. */
const leavesRoom = (timesOut: (call: PlatformCall) => boolean): Slowness => ({
  timesOut: (call) => {
    if (call.method === "POST") world.platform.seedRooms({ rows: [{ ...bodyOf(call), aliases: [] }] });
    return timesOut(call);
  },
  failing: ["delete"],
});
const failing = ["put", "delete", "setInvisible"] as const;

type Run = (parts: Dependencies) => Promise<unknown>;
const provision: Run = async ({ provisioning }) =>
  provisioning.provision({ reason: "bulk", upTo: 5 }, 1, world.log);
const collect: Run = async ({ garbageCollection }) => garbageCollection.collect(world.log);
const create: Run = async ({ idempotentClaims }) =>
  idempotentClaims.claim({ application: "application", key: "key" }, "tag", world.log);
const othersFirstSeconds = (requestsAtOnce - 1) * 2 * storageTimeoutSeconds;

test.each<[string, Run, Slowness, number]>([
  ["provisionRoom if no room is found", provision, leavesRoom(() => true), maxSeconds - othersFirstSeconds],
  [
    "provisionRoom if a half-made room stays",
    provision,
    leavesRoom((call) => !isGet(call)),
    maxSeconds - othersFirstSeconds,
  ],
  ["collectGarbage if every call times out", collect, {}, maxSeconds],
  ["collectGarbage if storage fails too", collect, { failing }, maxSeconds],
  ["collectGarbage if no room exists", collect, { timesOut: never }, maxSeconds],
  ["collectGarbage if only the live check times out", collect, { timesOut: isOfStatus }, maxSeconds],
  [
    "collectMetrics",
    async ({ metricsRun }) => metricsRun(world.log),
    { failing: ["count", "peek"] },
    maxSeconds,
  ],
  ["createRoom if its look-up and storage time out", create, { failing }, maxRequestSeconds],
  ["createRoom if its change and storage time out", create, { isFast: isGet, failing }, maxRequestSeconds],
  ["listRooms", async ({ sharedList }) => sharedList.list(), { timesOut: never }, maxRequestSeconds],
  // Apart from its last call.
  [
    "bulkDeleteRooms",
    async ({ bulkDeletion }) => bulkDeletion.deleteAll(world.log),
    { timesOut: isDelete },
    maxRequestSeconds + timeoutSeconds,
  ],
])("The longest path of %s ends in time", async (_, run, slowness, longestSeconds) => {
  await world.addPooled("room-a");
  for (let room = 0; room < Number(maxima.GC_MAX_MESSAGES); room++) await world.deletion.put(`room-${room}`);
  world.clock.advance(3600);
  const startedAt = world.clock.now();
  await run(slowest(slowness)).catch(() => undefined);
  const seconds = (world.clock.now() - startedAt) / 1000;
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(longestSeconds);
});
