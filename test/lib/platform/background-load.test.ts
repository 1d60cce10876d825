/** Background work on an instance whose callers never leave a slot free, in virtual time. */
import { beforeEach, expect, test } from "vitest";
import { createClient, type PlatformClient, withRetries } from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import { createPlatformStatus } from "../../../src/lib/platform/status.ts";
import { createBasicCredentials, type PlatformTransport } from "../../../src/lib/platform/transport.ts";
import { createBulkDeletion } from "../../../src/lib/pool/bulk-deletion.ts";
import { createGarbageCollection } from "../../../src/lib/pool/collection.ts";
import { formatMarker } from "../../../src/lib/pool/room.ts";
import type { Clock } from "../../../src/lib/ports.ts";
import { createSeededRandom } from "../../../tools/local/process/seeded-random.ts";
import { createScheduler, type Scheduler } from "../../simulation/scheduler.ts";
import { createMemoryQueue } from "../../support/memory-queue.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const callMilliseconds = 200;
const callers = 12;
const description = formatMarker({ state: "assigned", since: "2026-01-01T00:00:00.000Z", messageId: "m-1" });

let scheduler: Scheduler;
let clock: Clock;
let client: PlatformClient;
let rooms: Map<number, string>;
beforeEach(async () => {
  const random = createSeededRandom(1);
  scheduler = createScheduler(random);
  clock = createVirtualClock(scheduler);
  rooms = new Map(Array.from({ length: 60 }, (_, id) => [id, `room-${id}`]));
  const credentials = createBasicCredentials("gateway", "platform-password");
  const options = { timeoutSeconds: 10, maxConcurrency: 5, credentials, clock, random };
  client = withRetries(createClient(platform, options), clock, random);
  const keepBusy = async (): Promise<never> => {
    for (;;) await client.call({ method: "GET", path: "/busy/" });
  };
  for (let caller = 0; caller < callers; caller++) void keepBusy();
  await scheduler.advance(10_000);
});

const platform: PlatformTransport = async ({ method, path, query }) => {
  await clock.sleep(callMilliseconds);
  const id = Number(/(\d+)\/$/.exec(path)?.[1]);
  if (method === "DELETE") return { status: rooms.delete(id) ? 204 : 404, headers: {}, body: "" };
  const isStatus = path.startsWith("/api/admin/status/");
  const rows = [...rooms].map(([roomId, name]) => ({ id: roomId, name, description }));
  const found = rows.filter(({ name }) => !isStatus && (query?.["name"] ?? name) === name);
  return { status: 200, headers: {}, body: { meta: { next: null }, objects: found } };
};

/** Runs the work, and returns after how many seconds it ended. */
async function secondsOf(work: Promise<void>): Promise<number> {
  const startedAt = clock.now();
  let endedAt: number | undefined;
  const ended = work.finally(() => {
    endedAt = clock.now();
  });
  await scheduler.advance(500_000, () => endedAt !== undefined);
  if (endedAt === undefined) throw new Error("the work has not ended after 500 s");
  await ended;
  return (endedAt - startedAt) / 1000;
}

test("Bulk delete ends within its 150 s", async () => {
  const [pool, deletion, provisioning] = [1, 2, 3].map(() => createMemoryQueue(clock));
  if (!pool || !deletion || !provisioning) throw new Error("there is no queue");
  const conferences = createConferences(client.background);
  const bulkDeletion = createBulkDeletion({ pool, deletion, provisioning, conferences, clock });
  expect(await secondsOf(bulkDeletion.deleteAll(createRecordingLog()))).toBeLessThan(150);
  expect(rooms.size).toBe(0);
});

test("The collector deletes the rooms of its run", async () => {
  const deletion = createMemoryQueue(clock);
  for (let id = 0; id < 20; id++) await deletion.put(`room-${id}`);
  const collector = createGarbageCollection({
    deletion,
    conferences: createConferences(client.background),
    status: createPlatformStatus(client.background),
    clock,
    maxMessages: 20,
    minAgeSeconds: 0,
    unmarkedRooms: "collect",
    maxAgeHours: undefined,
  });
  expect(await secondsOf(collector.collect(createRecordingLog()))).toBeLessThan(400);
  expect(rooms.size).toBe(40);
});
