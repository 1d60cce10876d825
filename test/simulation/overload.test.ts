/**
 * Overload, in virtual time: callers keep arriving, through all parts of the app and the real client. The limits hold
 * with other seeds too: `OVERLOAD_SEED=2 npx vitest run test/simulation/overload.test.ts`.
 */
import { describe, expect, test } from "vitest";
import type { PlatformRequest } from "../../src/lib/platform/transport.ts";
import {
  createLoadWorld,
  type Ended,
  inTime,
  type LoadWorld,
  maxConcurrency,
  platformSlots,
  type Refuse,
  type Surroundings,
} from "./load-world.ts";

const callsPerCreate = 2;
const refusal = (status: number, headers: Record<string, string> = {}) => ({ status, headers, body: "" });

const median = (ended: readonly Ended[]) =>
  ended.map(({ took }) => took).toSorted((one, other) => one - other)[Math.floor(ended.length / 2)];

/** What holds for every load. */
function expectBounded(world: LoadWorld): void {
  expect(world.maxInFlight()).toBeLessThanOrEqual(maxConcurrency);
  expect(world.maxOutside()).toBe(0);
}

interface Case extends Surroundings {
  /** How many times the capacity arrives. */
  readonly factor: number;
  /** Ten minutes, unless there are very many creates. */
  readonly seconds?: number;
  /** The least share of what is possible that succeeds within 30 s. */
  readonly goodput: number;
  /** The most rooms that are given up. */
  readonly rooms?: number;
  /** The least share of refusals that come within two seconds of the arrival; three quarters by default. */
  readonly soon?: number;
}

const failsForFiveSeconds =
  (from: number): Refuse =>
  (_, second) =>
    second >= from && second < from + 5 ? refusal(503) : undefined;

const loads: Case[] = [
  { instances: 4, callSeconds: 2.6, factor: 2, goodput: 0.8 },
  { instances: 4, callSeconds: 2.6, factor: 1.2, goodput: 0.92, rooms: 15, soon: 0 },
  { instances: 4, callSeconds: 1.5, factor: 2, goodput: 0.9 },
  { instances: 20, callSeconds: 0.6, factor: 2, goodput: 0.85, rooms: 60 },
  { instances: 1, callSeconds: 7, factor: 2, goodput: 0.9 },
  { instances: 4, callSeconds: 1.5, factor: 2, slots: 2, goodput: 0.85, rooms: 15 },
  { instances: 1, callSeconds: 0.4, factor: 2, storageSeconds: 0.3, seconds: 120, goodput: 0.95, rooms: 0 },
  { instances: 1, callSeconds: 0.1, factor: 2, storageSeconds: 0.3, seconds: 60, goodput: 0.9, rooms: 0 },
  { instances: 1, callSeconds: 0.1, factor: 2, seconds: 60, goodput: 0.96, rooms: 0 },
  { instances: 1, callSeconds: 0.1, factor: 1, seconds: 60, goodput: 0.96, rooms: 0 },
  { instances: 1, callSeconds: 4, factor: 2, goodput: 0.96, rooms: 0 },
  { instances: 1, callSeconds: 4, factor: 1, goodput: 0.96, rooms: 0 },
  { instances: 1, callSeconds: 4, factor: 2, refuse: failsForFiveSeconds(60), goodput: 0.9 },
  { instances: 1, callSeconds: 5, factor: 2, refuse: failsForFiveSeconds(0), goodput: 0.9 },
  { instances: 1, callSeconds: 7, factor: 2, refuse: failsForFiveSeconds(0), goodput: 0.9 },
  { instances: 12, callSeconds: 2.6, factor: 2, goodput: 0.85, rooms: 60 },
  { instances: 20, callSeconds: 1.5, factor: 2, goodput: 0.85, rooms: 60 },
  { instances: 40, callSeconds: 1, factor: 2, goodput: 0.85, rooms: 60, soon: 0 },
  { isRandom: true, instances: 12, callSeconds: 2.6, factor: 2, goodput: 0.75, rooms: 250, soon: 0 },
  { isRandom: true, instances: 20, callSeconds: 1.5, factor: 2, goodput: 0.8, rooms: 250, soon: 0 },
  { isRandom: true, instances: 40, callSeconds: 1, factor: 2, goodput: 0.68, rooms: 250, soon: 0 },
];

// One quick list at the start must not be taken for the speed of the platform.
test.each<Case>([...loads, ...loads.slice(0, 9).map((load) => ({ ...load, isQuickAtFirst: true }))])(
  "Under a load that lasts, most of the capacity is used, and refusals come soon: %j",
  async ({ factor, goodput, rooms = Number.POSITIVE_INFINITY, soon = 0.75, seconds = 600, ...load }) => {
    const { callSeconds, slots = platformSlots } = load;
    const possiblePerSecond = slots / callSeconds / callsPerCreate;
    const world = createLoadWorld(load);
    await world.begin();
    const creates = world.arrive(possiblePerSecond * factor, world.requests.create);
    await world.clock.advance(seconds * 1000);

    const possible = possiblePerSecond * seconds;
    const refused = creates.filter(({ error }) => error);
    const late = creates.filter(({ error, took }) => !error && took > 30);
    expect(inTime(creates).length).toBeGreaterThan(goodput * possible);
    expect(world.roomsGivenUp()).toBeLessThanOrEqual(rooms);
    expect(refused.filter(({ took }) => took <= 2).length).toBeGreaterThanOrEqual(soon * refused.length);
    // Hardly a room goes to a caller who has left.
    expect(late.length).toBeLessThan(0.01 * possible);
    expectBounded(world);
  },
);

describe("Callers who are not creates", () => {
  test.each([
    { callSeconds: 1, factor: 2, isQuickAtFirst: false },
    { callSeconds: 0.3, factor: 2, isQuickAtFirst: true },
    { callSeconds: 0.02, factor: 2, isQuickAtFirst: false },
    { callSeconds: 0.02, factor: 5, isQuickAtFirst: true },
  ])("do not stop creates and events, and are served in part: %j", async ({ factor, ...load }) => {
    const seconds = load.callSeconds < 0.1 ? 20 : 300;
    const possiblePerSecond = platformSlots / load.callSeconds;
    const world = createLoadWorld(load);
    await world.begin();
    const reads = world.arrive(factor * possiblePerSecond, world.requests.read);
    const events = world.arrive(1, world.requests.event);
    const creates = world.arrive(10 / seconds, world.requests.create);
    await world.clock.advance(seconds * 1000);
    expect(inTime(creates).length).toBeGreaterThanOrEqual(0.95 * creates.length);
    expect(creates.length).toBeGreaterThanOrEqual(8);
    expect(events.every(({ error, took }) => !error && took <= 1)).toBe(true);
    expect(inTime(reads).length).toBeGreaterThan(0.85 * seconds * possiblePerSecond);
    expectBounded(world);
  });

  test.each([
    { callSeconds: 1, goodput: 0.8 },
    { callSeconds: 2.6, goodput: 0.65 },
  ])("are served beside twice as many creates as possible: %j", async ({ callSeconds, goodput }) => {
    const seconds = 600;
    const possiblePerSecond = platformSlots / callSeconds / callsPerCreate;
    const world = createLoadWorld({ callSeconds });
    await world.begin();
    const creates = world.arrive(2 * possiblePerSecond, world.requests.create);
    const reads = world.arrive(0.5, world.requests.read);
    await world.clock.advance(seconds * 1000);
    expect(reads.filter(({ error }) => !error).length).toBeGreaterThanOrEqual(0.98 * reads.length);
    expect(median(reads)).toBeLessThanOrEqual(5);
    expect(inTime(creates).length).toBeGreaterThan(goodput * possiblePerSecond * seconds);
    expectBounded(world);
  });
});

describe("Creates that arrive together", () => {
  test.each([0.02, 0.1])("are all served by one instance: 100 with %d s per call", async (callSeconds) => {
    const world = createLoadWorld({ callSeconds });
    await world.begin();
    const creates = world.sendAtOnce(100, world.requests.create);
    await world.clock.advance(60_000);
    expect(inTime(creates)).toHaveLength(100);
    expectBounded(world);
  });

  test("are served every 30 s, 100 each time", async () => {
    const world = createLoadWorld({ callSeconds: 0.2 });
    await world.begin();
    const creates: Ended[] = [];
    for (let burst = 0; burst < 10; burst++) {
      world.sendAtOnce(100, world.requests.create, creates);
      await world.clock.advance(30_000);
    }
    expect(inTime(creates).length).toBeGreaterThanOrEqual(950);
    expectBounded(world);
  });

  test("are refused soon if they cannot be served", async () => {
    const world = createLoadWorld({ callSeconds: 2.6 });
    await world.begin();
    world.sendAtOnce(10, world.requests.create);
    await world.clock.advance(60_000);
    const refused = world.sendAtOnce(100, world.requests.create);
    await world.clock.advance(60_000);
    const late = refused.filter(({ error, took }) => error && took > 2);
    expect(late.length).toBeLessThan(0.1 * refused.filter(({ error }) => error).length);
  });
});

test.each([
  [1, false],
  [20, true],
])(
  "%i instances use the platform's limit of calls per minute (Retry-After: %s)",
  async (instances, hasRetryAfter) => {
    const callsPerMinute = 600;
    const callsOfMinute = new Map<number, number>();
    const refuse: Refuse = (_, second) => {
      const minute = Math.floor(second / 60);
      const calls = (callsOfMinute.get(minute) ?? 0) + 1;
      callsOfMinute.set(minute, calls);
      if (calls <= callsPerMinute) return undefined;
      const wait = { "retry-after": String(Math.ceil((minute + 1) * 60 - second)) };
      return refusal(429, hasRetryAfter ? wait : {});
    };
    const seconds = 180;
    const possiblePerSecond = callsPerMinute / 60 / callsPerCreate;
    const world = createLoadWorld({ callSeconds: 0.1, instances, refuse });
    await world.begin();
    const creates = world.arrive(1.5 * possiblePerSecond, world.requests.create);
    await world.clock.advance(seconds * 1000);
    expect(inTime(creates).length).toBeGreaterThan(0.8 * possiblePerSecond * seconds);
    expect(world.roomsGivenUp()).toBe(0);
    expectBounded(world);
  },
);

describe("Deletion", () => {
  test("goes on beside more creates than possible, on an instance of its own", async () => {
    const callSeconds = 2.6;
    const world = createLoadWorld({ instances: 4, callSeconds });
    await world.begin();
    for (let rooms = 0; rooms < 20; rooms++) await world.queues.deletion.put(await world.addRoom("assigned"));
    const ended = world.queues.deletion.texts();
    await world.clock.advance(600_000);
    world.arrive((1.2 * platformSlots) / callSeconds / callsPerCreate, world.requests.create);
    const collector = world.newInstance().garbageCollection;
    const left: number[] = [];
    for (let run = 0; run < 2; run++) {
      // Calls may time out, which fails the run.
      void collector.collect(world.log).catch(() => undefined);
      await world.clock.advance(600_000);
      left.push(world.platform.rooms().filter(({ name }) => ended.includes(name)).length);
    }
    expect(left[0]).toBeLessThanOrEqual(5);
    expect(left[1]).toBe(0);
    expectBounded(world);
  });

  test("of 60 rooms whose names are in no queue ends in one bulk delete with 3 s per call", async () => {
    const world = createLoadWorld({ callSeconds: 3 });
    for (let rooms = 0; rooms < 60; rooms++) await world.addRoom();
    await world.queues.pool.clear();
    let isDone = false;
    void world
      .newInstance()
      .bulkDeletion.deleteAll(world.log)
      .then(() => (isDone = true));
    await world.clock.advance(200_000);
    expect(isDone).toBe(true);
    expect(world.platform.rooms()).toHaveLength(1);
  });
});

describe("All parts together", () => {
  // `OVERLOAD_HOURS=5` is for the nightly run.
  const hours = Number(process.env["OVERLOAD_HOURS"] ?? 0.5);

  test("keep up with the peak of 60,000 rooms per day", {
    timeout: 120_000 * Math.max(1, 10 * hours),
  }, async () => {
    const createsPerSecond = 7500 / 3600;
    const conferenceSeconds = 900;
    const world = createLoadWorld({
      callSeconds: 0.2,
      provisions: true,
      settings: { MAX_VMR: "239", GC_MAX_MESSAGES: "10000", POOL_READY_DELAY_SECONDS: "90" },
    });
    const { clock, queues, log } = world;
    await world.begin(239);

    for (let instance = 0; instance < 4; instance++) {
      const { provisioning } = world.newInstance();
      for (let message = 0; message < 4; message++) void serveForever(provisioning);
    }
    async function serveForever(provisioning: ReturnType<typeof world.newInstance>["provisioning"]) {
      for (;;) {
        const [request] = await queues.provisioning.receive(1, 600);
        if (!request) await clock.sleep(1000);
        else {
          await provisioning.provision(JSON.parse(request.text), 1, log);
          await queues.provisioning.delete(request);
        }
      }
    }
    const runs = { collector: 0, metrics: 0 };
    async function runForever(timer: keyof typeof runs, seconds: number, run: () => Promise<void>) {
      for (;;) {
        await clock.sleep(seconds * 1000);
        void run().then(() => (runs[timer] += 1));
      }
    }
    const [collector, metrics] = [world.newInstance(), world.newInstance()];
    void runForever("collector", 600, async () => collector.garbageCollection.collect(log));
    void runForever("metrics", 300, async () => metrics.metricsRun(log));

    const events: Ended[] = [];
    const creates = world.arrive(createsPerSecond, async ({ claims }) => {
      const { name } = await claims.claim(undefined, log);
      clock.after(conferenceSeconds * 1000, () =>
        world.sendAtOnce(
          1,
          async ({ deletionQueueWriter }) => deletionQueueWriter.queueEndedRooms([name], log),
          events,
        ),
      );
    });
    const reads = world.arrive(1, world.requests.read);
    let [mostWaiting, mostRooms] = [0, 0];
    for (let minutes = 0; minutes < 60 * hours; minutes++) {
      await clock.advance(60_000);
      mostWaiting = Math.max(mostWaiting, await queues.deletion.count());
      mostRooms = Math.max(mostRooms, world.platform.rooms().length);
    }
    for (const ended of [creates, reads, events]) expect(inTime(ended)).toHaveLength(ended.length);
    expect(creates.length).toBeGreaterThan(0.95 * 3600 * hours * createsPerSecond);
    expect(mostWaiting).toBeLessThanOrEqual(3000);
    expect(mostRooms).toBeLessThanOrEqual(5000);
    expect(runs.metrics).toBeGreaterThanOrEqual(12 * hours - 1);
    expect(runs.collector).toBeGreaterThanOrEqual(6 * hours - 2);
    expect(queues.poison.texts()).toEqual([]);
  });
});

describe("A platform that fails", () => {
  test("with 503 for every call gets few creates, which fail soon and with Retry-After", async () => {
    const world = createLoadWorld({ callSeconds: 0.05, refuse: () => refusal(503) });
    await world.begin();
    const creates = world.arrive(1 / 6, world.requests.create);
    await world.clock.advance(120_000);
    const took = creates.map((create) => create.took).toSorted((one, other) => one - other);
    expect(creates.length).toBeGreaterThan(15);
    expect(took[Math.floor(took.length / 2)]).toBeLessThan(0.5);
    expect(took[Math.floor(0.9 * took.length)]).toBeLessThan(2.5);
    for (const { error } of creates) {
      expect(error?.status).toBe(503);
      expect(error?.details.retryAfterSeconds).toBeGreaterThan(0);
      expect(error?.details.retryAfterSeconds).toBeLessThanOrEqual(60);
    }
  });

  test.each([60, 330, 700])(
    "for %i s with 503 for every PATCH costs three rooms, and recovers soon",
    async (outage) => {
      const refuse: Refuse = ({ method }, second) =>
        method === "PATCH" && second < outage ? refusal(503) : undefined;
      const world = createLoadWorld({ callSeconds: 0.05, refuse });
      await world.begin();
      const creates = world.arrive(1, world.requests.create);
      await world.clock.advance((outage + 60) * 1000);
      expect(creates.find(({ error }) => !error)?.second).toBeLessThan(outage + 15);
      expect(world.roomsGivenUp()).toBe(3);
      for (const { error } of creates) expect(error?.details.retryAfterSeconds ?? 0).toBeLessThanOrEqual(60);
    },
  );

  const changesNothing = ({ body }: PlatformRequest) => body !== undefined && "name" in body;

  test.each([
    { createsPerSecond: 0.5, rooms: 15, refuses: "changes that change something" },
    { createsPerSecond: 2, rooms: 15, refuses: "changes that change something" },
    { createsPerSecond: 2, rooms: 80, refuses: "every change, which it stores" },
  ])(
    "with 500 for $refuses costs at most $rooms rooms in ten minutes, with $createsPerSecond creates/s",
    async ({ createsPerSecond, rooms, refuses }) => {
      const world = createLoadWorld({
        callSeconds: 0.05,
        refuse: (request) => {
          if (request.method !== "PATCH") return undefined;
          if (refuses !== "every change, which it stores")
            return changesNothing(request) ? undefined : refusal(500);
          void world.platform.transport(request, "");
          return refusal(500);
        },
      });
      await world.begin();
      world.arrive(createsPerSecond, world.requests.create);
      await world.clock.advance(600_000);
      expect(world.roomsGivenUp()).toBeLessThanOrEqual(rooms);
    },
  );

  test("and four instances leave names in a small pool, so no create gets 404", async () => {
    const world = createLoadWorld({
      instances: 4,
      callSeconds: 0.05,
      refuse: ({ method }) => (method === "PATCH" ? refusal(503) : undefined),
    });
    await world.begin(12);
    const creates = world.arrive(1, world.requests.create);
    await world.clock.advance(600_000);
    expect(creates.filter(({ error }) => error?.status !== 503)).toEqual([]);
  });

  test("by finding no room although it stores new ones gets one new room per create at most", async () => {
    const empty = { status: 200, headers: {}, body: { meta: { next: null }, objects: [] } };
    const refuse: Refuse = ({ method }, second) => (method === "GET" && second >= 1 ? empty : undefined);
    const world = createLoadWorld({ callSeconds: 0.05, refuse });
    await world.begin(50);
    await world.clock.advance(2000);
    const before = world.platform.rooms().length;
    const creates = world.arrive(1, world.requests.create);
    await world.clock.advance(10_000);
    expect(world.platform.rooms().length - before).toBeLessThanOrEqual(creates.length + 2);
  });
});
