/** No function runs into the host's timeout, even if every setting has its maximum and every call takes as long as it may. */
import { describe, expect, test } from "vitest";
import { createMetricsRun } from "../../src/lib/metrics/run.ts";
import type { PlatformCall, PlatformResponse } from "../../src/lib/platform/client.ts";
import { createConferences } from "../../src/lib/platform/conferences.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { createSharedList } from "../../src/lib/platform/shared-list.ts";
import { createPlatformStatus } from "../../src/lib/platform/status.ts";
import { createBulkDeletion } from "../../src/lib/pool/bulk-deletion.ts";
import { createGarbageCollection } from "../../src/lib/pool/collection.ts";
import { createIdempotentClaims } from "../../src/lib/pool/idempotent-claims.ts";
import { createProvisioning } from "../../src/lib/pool/provisioning.ts";
import { createReplenishment } from "../../src/lib/pool/replenishment.ts";
import { type CreateRecordStore, type Queue, QueueError, secureRandom } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../support/example-settings.ts";
import { gatewayName } from "../support/markers.ts";
import type { MemoryQueue } from "../support/memory-queue.ts";
import { createMemoryRecordStore } from "../support/memory-record-store.ts";
import { hostPin, usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

const maxima = {
  PLATFORM_TIMEOUT_SECONDS: "60",
  POOL_LEASE_SECONDS: "3600",
  POOL_READY_DELAY_SECONDS: "3600",
  GC_MAX_MESSAGES: "1000",
};
const settings = loadSettings({ ...exampleEnvironment, ...maxima, ROOM_MAXIMUM_AGE_HOURS: "1" });
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

type Response = (call: PlatformCall) => PlatformResponse;

/** A client in which each call waits for a slot as long as it may, and then takes the whole timeout. */
function slowestClient(respond: Response) {
  const call = async (request: PlatformCall): Promise<PlatformResponse> => {
    const startBefore = request.startBefore ?? world.clock.now() + 300_000;
    const message = `${request.method} ${request.path}`;
    if (world.clock.now() >= startBefore)
      throw new PlatformError({ outcome: "not-sent", isTimeout: true, message });
    world.clock.advance(
      (startBefore - 1 - world.clock.now()) / 1000 + (request.timeoutSeconds ?? timeoutSeconds),
    );
    return respond(request);
  };
  return { call };
}

const timeOut: Response = ({ method, path }) => {
  throw new PlatformError({ outcome: "unknown", isTimeout: true, message: `${method} ${path}` });
};

/** A queue whose operations take the whole timeout. Those that are named fail. */
function slowestQueue(queue: MemoryQueue, ...failing: (keyof Queue)[]): Queue {
  const slow =
    <Input extends unknown[], Result>(operation: keyof Queue, run: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      world.clock.advance(storageTimeoutSeconds);
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
    oldestAgeSeconds: slow("oldestAgeSeconds", async (...input: Parameters<Queue["oldestAgeSeconds"]>) =>
      queue.oldestAgeSeconds(...input),
    ),
    clear: slow("clear", async (...input: Parameters<Queue["clear"]>) => queue.clear(...input)),
  };
}

/** Returns how many seconds of the virtual clock pass, whether it succeeds or fails. */
async function secondsOf(run: () => Promise<unknown>): Promise<number> {
  const startedAt = world.clock.now();
  await run().catch(() => undefined);
  return (world.clock.now() - startedAt) / 1000;
}

const halfMade = { id: 1, name: "", aliases: [] };
const page = (objects: readonly object[]) => ({ body: { meta: { next: null }, objects } });

describe("provisionRoom", () => {
  test.each<[string, Response]>([
    ["times out and is never found", timeOut],
    [
      "times out and leaves half a room, which cannot be deleted",
      (call) => (call.method === "GET" ? page([{ ...halfMade, name: call.query?.["name"] }]) : timeOut(call)),
    ],
    [
      "is refused and leaves half a room, which cannot be deleted",
      (call) => {
        if (call.method === "GET") return page([{ ...halfMade, name: call.query?.["name"] }]);
        if (call.method === "DELETE") return timeOut(call);
        throw new PlatformError({ outcome: "refused", status: 400, message: "POST" });
      },
    ],
  ])("ends in time if the create %s", async (_, respond) => {
    const provisioning = createProvisioning({
      ...settings.pool,
      pool: slowestQueue(world.pool, "delete"),
      deletion: slowestQueue(world.deletion),
      conferences: createConferences(slowestClient(respond)),
      clock: world.clock,
      random: secureRandom,
      hostPin,
      template: {},
      gatewayName,
      platformTimeoutSeconds: timeoutSeconds,
    });
    const request = { reason: "bulk", upTo: 5 };
    const seconds = await secondsOf(async () => provisioning.provision(request, 1, world.log));
    const othersFirst = (requestsAtOnce - 1) * 2 * storageTimeoutSeconds;
    expect(seconds).toBeGreaterThan(timeoutSeconds);
    expect(seconds + othersFirst).toBeLessThan(maxSeconds);
  });
});

describe("collectGarbage", () => {
  test.each<[string, Response, boolean]>([
    ["every call times out", timeOut, false],
    ["storage fails too", timeOut, true],
    ["no room exists", () => page([]), false],
    [
      "only the live check times out",
      (call) => (call.path.includes("status") ? timeOut(call) : page([])),
      false,
    ],
  ])("ends in time if %s", async (_, respond, isStorageFailing) => {
    for (let room = 0; room < settings.garbage.maxMessages; room++) await world.deletion.put(`room-${room}`);
    world.clock.advance(3600);
    const setInvisible: Queue["setInvisible"] = async (...input) => {
      if (!isStorageFailing) return world.deletion.setInvisible(...input);
      // Sixteen run at the same time.
      if (updates++ % 16 === 0) world.clock.advance(storageTimeoutSeconds);
      throw new QueueError("unknown", "setInvisible");
    };
    let updates = 0;
    const deletion = slowestQueue(world.deletion, ...(isStorageFailing ? (["delete"] as const) : []));
    const client = slowestClient(respond);
    const collection = createGarbageCollection({
      ...settings.garbage,
      ...settings.rooms,
      deletion: { ...deletion, setInvisible },
      conferences: createConferences(client),
      status: createPlatformStatus(client),
      clock: world.clock,
    });
    const seconds = await secondsOf(async () => collection.collect(world.log));
    expect(seconds).toBeGreaterThan(timeoutSeconds);
    expect(seconds).toBeLessThan(maxSeconds);
  });
});

test("collectMetrics ends in time if every call of the platform and of storage times out", async () => {
  const client = slowestClient(timeOut);
  const failing = (queue: MemoryQueue) => slowestQueue(queue, "count", "oldestAgeSeconds");
  const { pool, deletion, provisioning, poison } = world;
  const run = createMetricsRun({
    queues: {
      pool: failing(pool),
      deletion: failing(deletion),
      provisioning: failing(provisioning),
      poison: failing(poison),
    },
    conferences: createConferences(client),
    status: createPlatformStatus(client),
    clock: world.clock,
    replenishment: { topUpTo: async () => 0 },
    sink: async () => world.clock.advance(sinkTimeoutSeconds),
    newId: () => "run-1",
    instanceId: "instance-1",
    version: "1.0.0",
    maxRooms: 10_000,
    minRooms: 10_000,
    fingerprint: "",
    gatewayName,
  });
  const seconds = await secondsOf(async () => run(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxSeconds);
});

test.each(["look-up", "change"] as const)(
  "createRoom ends before API Management cuts it off if its %s and storage time out",
  async (slow) => {
    await world.addPooled("room-a");
    const slowest = createConferences(slowestClient(timeOut));
    const pool = slowestQueue(world.pool, "delete", "setInvisible");
    const provisioning = slowestQueue(world.provisioning, "put");
    const claims = world.createClaims({
      ...settings.pool,
      platformTimeoutSeconds: timeoutSeconds,
      pool,
      deletion: slowestQueue(world.deletion, "put"),
      replenishment: createReplenishment({ pool, provisioning, maxRooms: 5 }),
      conferences: {
        findByName: async (...input) =>
          (slow === "look-up" ? slowest : world.conferences).findByName(...input),
        update: async (...input) => slowest.update(...input),
      },
      claimSlots: {
        async run({ startBefore, prepare, work }) {
          const prepared = await prepare();
          world.clock.advance((startBefore - 1 - world.clock.now()) / 1000);
          return work(prepared);
        },
      },
    });
    const records = createMemoryRecordStore();
    const read: CreateRecordStore["read"] = async (id) => {
      world.clock.advance(storageTimeoutSeconds);
      return records.read(id);
    };
    const idempotentClaims = createIdempotentClaims({ ...world, claims, records: { ...records, read } });
    const key = { application: "application", key: "key" };
    const seconds = await secondsOf(async () => idempotentClaims.claim(key, "tag", world.log));
    expect(seconds).toBeGreaterThan(timeoutSeconds);
    expect(seconds).toBeLessThan(maxRequestSeconds);
  },
);

test("listRooms ends before API Management cuts it off", async () => {
  const { list } = createSharedList(createConferences(slowestClient(() => page([]))), world.clock);
  const seconds = await secondsOf(list);
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxRequestSeconds);
});

test("bulkDeleteRooms ends before API Management cuts it off, apart from its last call", async () => {
  const respond: Response = (call) => (call.method === "DELETE" ? timeOut(call) : page([]));
  const bulkDeletion = createBulkDeletion({
    pool: slowestQueue(world.pool),
    deletion: slowestQueue(world.deletion),
    provisioning: slowestQueue(world.provisioning),
    conferences: createConferences(slowestClient(respond)),
    clock: world.clock,
    gatewayName,
  });
  const seconds = await secondsOf(async () => bulkDeletion.deleteAll(world.log));
  expect(seconds).toBeGreaterThan(timeoutSeconds);
  expect(seconds).toBeLessThan(maxRequestSeconds + timeoutSeconds);
});
