/** No function runs into the host's timeout, even if every setting has its maximum and every call takes as long as it may. */
import { expect, test } from "vitest";
import { createDependencies, type Dependencies } from "../../src/lib/dependencies.ts";
import type { PlatformCall, PlatformResponse } from "../../src/lib/platform/client.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { type CreateRecordStore, type Queue, QueueError, secureRandom } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { settlePromises } from "../support/clock.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import type { MemoryQueue } from "../support/memory-queue.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { openAccess } from "../support/open-access.ts";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const maxima = {
  PLATFORM_TIMEOUT_SECONDS: "60",
  POOL_LEASE_SECONDS: "3600",
  POOL_READY_DELAY_SECONDS: "3600",
  GC_MAX_MESSAGES: "10000",
};
const settings = loadSettings({
  ...exampleEnvironment,
  ...maxima,
  POOL_MINIMUM: "50",
  ROOM_MAXIMUM_AGE_HOURS: "1",
});
const { timeoutSeconds } = settings.platform;
const storageTimeoutSeconds = 3;
const sinkTimeoutSeconds = 20;
// What the host runs at once on an instance (host.json), of which one after the other counts the pool and puts a name.
const requestsAtOnce = 5;
const maxSeconds = 9 * 60;
// API Management cuts a request off.
const maxRequestSeconds = 200;

test.each(Object.entries(maxima))("%s has no greater value than %s", (name, value) => {
  const greater = { ...exampleEnvironment, [name]: String(Number(value) + 1) };
  expect(() => loadSettings(greater)).toThrow(name);
});

type Respond = (call: PlatformCall) => PlatformResponse | Promise<PlatformResponse>;

/** Makes calls that wait for a slot as long as they may, and then take the whole timeout, except fast methods. */
function slowestCall(respond: Respond, fastMethod?: PlatformCall["method"]) {
  return async (request: PlatformCall): Promise<PlatformResponse> => {
    if (request.method === fastMethod) return respond(request);
    // Its unit of work has waited for the slot.
    if (request.slot) {
      await pass(request.timeoutSeconds ?? timeoutSeconds);
      return respond(request);
    }
    const startBefore = request.startBefore ?? world.clock.now() + 300_000;
    const message = `${request.method} ${request.path}`;
    if (world.clock.now() >= startBefore)
      throw new PlatformError({ outcome: "not-sent", isTimeout: true, message });
    world.clock.advance(
      (startBefore - 1 - world.clock.now()) / 1000 + (request.timeoutSeconds ?? timeoutSeconds),
    );
    return respond(request);
  };
}

const timeOut: Respond = ({ method, path }) => {
  throw new PlatformError({ outcome: "unknown", isTimeout: true, message: `${method} ${path}` });
};

/** Lets time pass. What begins at the same time ends at the same time. */
async function pass(seconds: number): Promise<void> {
  // Work that a former test has left behind does not move the clock of this one.
  const { clock } = world;
  const endsAt = clock.now() + seconds * 1000;
  await settlePromises();
  clock.advance(Math.max(0, endsAt - clock.now()) / 1000);
}

/** A queue whose operations take the whole timeout. Those that are named fail. */
function slowestQueue(queue: MemoryQueue, ...failing: (keyof Queue)[]): Queue {
  const slow =
    <Input extends unknown[], Result>(operation: keyof Queue, run: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      await pass(storageTimeoutSeconds);
      if (failing.includes(operation)) throw new QueueError("unknown", operation);
      return run(...input);
    };
  return {
    put: slow("put", async (...input: Parameters<Queue["put"]>) => queue.put(...input)),
    receive: slow("receive", async (...input: Parameters<Queue["receive"]>) => queue.receive(...input)),
    delete: slow("delete", async (...input: Parameters<Queue["delete"]>) => queue.delete(...input)),
    setInvisible: slow("setInvisible", async (...input: Parameters<Queue["setInvisible"]>) =>
      queue.setInvisible(...input),
    ),
    count: slow("count", async (...input: Parameters<Queue["count"]>) => queue.count(...input)),
    peek: slow("peek", async (...input: Parameters<Queue["peek"]>) => queue.peek(...input)),
    clear: slow("clear", async (...input: Parameters<Queue["clear"]>) => queue.clear(...input)),
  };
}

interface Slowness {
  /** The operations of queues that fail. */
  readonly failing?: readonly (keyof Queue)[];
  readonly fastMethod?: PlatformCall["method"];
}

/** Creates everything that a function can ask for, over a platform and a storage that take as long as they may. */
function slowest(respond: Respond, { failing = [], fastMethod }: Slowness = {}): Dependencies {
  const call = slowestCall(respond, fastMethod);
  async function slowestSlot(startBefore: number) {
    world.clock.advance(Math.max(0, startBefore - 1 - world.clock.now()) / 1000);
    return { [Symbol.dispose]: () => undefined };
  }
  const slow = (queue: MemoryQueue) => slowestQueue(queue, ...failing);
  const records = createMemoryRecordStore();
  const read: CreateRecordStore["read"] = async (id) => {
    world.clock.advance(storageTimeoutSeconds);
    return records.read(id);
  };
  return createDependencies(settings, {
    queues: {
      pool: slow(world.pool),
      deletion: slow(world.deletion),
      provisioning: slow(world.provisioning),
      poison: slow(world.poison),
    },
    platformClient: {
      call,
      background: { call, takeSlot: slowestSlot },
      claimSlots: {
        admit: async (startBefore) => ({
          takeSlot: async () => slowestSlot(startBefore),
          [Symbol.dispose]: () => undefined,
        }),
      },
    },
    createRecords: { ...records, read },
    metricsSink: async () => world.clock.advance(sinkTimeoutSeconds),
    accessChecks: openAccess,
    clock: world.clock,
    random: secureRandom,
    newId: () => "id-1",
  });
}

/** Returns how many seconds of the virtual clock pass, whether it succeeds or fails. */
async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = world.clock.now();
  await run().catch(() => undefined);
  return (world.clock.now() - startedAt) / 1000;
}

const page = (objects: readonly object[]) => ({ body: { meta: { next: null }, objects } });

test.each<[string, Respond]>([
  ["is never found", timeOut],
  [
    "is found without an alias and cannot be deleted",
    (call) =>
      call.method === "GET" ? page([{ id: 1, name: call.query?.["name"], aliases: [] }]) : timeOut(call),
  ],
])("provisionRoom ends in time if the create times out and the room %s", async (_, respond) => {
  const { provisioning } = slowest(respond, { failing: ["delete"] });
  const request = { reason: "bulk", upTo: 5 };
  const seconds = await secondsOf(async () => provisioning.provision(request, 1, world.log));
  const othersFirst = (requestsAtOnce - 1) * 2 * storageTimeoutSeconds;
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds + othersFirst).toBeLessThan(maxSeconds);
});

test.each<[string, Respond, Slowness?]>([
  ["every call times out", timeOut],
  ["storage fails too", timeOut, { failing: ["delete", "setInvisible"] }],
  ["no room exists", () => page([])],
  ["only the live check times out", (call) => (call.path.includes("status") ? timeOut(call) : page([]))],
])("collectGarbage ends in time if %s", async (_, respond, slowness) => {
  for (let room = 0; room < settings.garbage.maxMessages; room++) await world.deletion.put(`room-${room}`);
  world.clock.advance(3600);
  const { garbageCollection } = slowest(respond, slowness);
  const seconds = await secondsOf(async () => garbageCollection.collect(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxSeconds);
});

test("collectMetrics ends in time if every call of the platform and of storage times out", async () => {
  const { metricsRun } = slowest(timeOut, { failing: ["count", "peek"] });
  const seconds = await secondsOf(async () => metricsRun(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxSeconds);
});

test.each<[string, Respond, Slowness]>([
  ["look-up", timeOut, {}],
  [
    "change",
    async (call) => (call.method === "GET" ? world.client.call(call) : timeOut(call)),
    { fastMethod: "GET" },
  ],
])(
  "createRoom ends before API Management cuts it off if its %s and storage time out",
  async (_, respond, slowness) => {
    await world.addPooled("room-a");
    const { idempotentClaims } = slowest(respond, {
      ...slowness,
      failing: ["put", "delete", "setInvisible"],
    });
    const key = { application: "application", key: "key" };
    const seconds = await secondsOf(async () => idempotentClaims.claim(key, "tag", world.log));
    expect(seconds).toBeGreaterThan(timeoutSeconds);
    expect(seconds).toBeLessThan(maxRequestSeconds);
  },
);

test("listRooms ends before API Management cuts it off", async () => {
  const seconds = await secondsOf(slowest(() => page([])).sharedList.list);
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxRequestSeconds);
});

test("bulkDeleteRooms ends before API Management cuts it off, apart from its last call", async () => {
  const { bulkDeletion } = slowest((call) => (call.method === "DELETE" ? timeOut(call) : page([])));
  const seconds = await secondsOf(async () => bulkDeletion.deleteAll(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxRequestSeconds + timeoutSeconds);
});
