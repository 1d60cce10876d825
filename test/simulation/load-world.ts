/**
 * A service under load, in virtual time: instances with all their parts, one platform, and callers who keep arriving.
 */
import PQueue from "p-queue";
import { expect } from "vitest";
import type { Dependencies } from "../../src/lib/dependencies.ts";
import { GatewayError } from "../../src/lib/errors.ts";
import { decodeRoomMessage } from "../../src/lib/ownership/room.ts";
import { transportFailure } from "../../src/lib/platform/errors.ts";
import type {
  PlatformHttpResponse,
  PlatformRequest,
  PlatformTransport,
} from "../../src/lib/platform/transport.ts";
import { createVirtualClock } from "../../tools/simulators/memory/clock.ts";
import { createMemoryGateway, createMemoryWorld } from "../../tools/simulators/memory/gateway.ts";
import { createSeededRandom } from "../../tools/simulators/memory/seeded-random.ts";
import { formatMarker } from "../support/markers.ts";
import { createRecordingLog } from "../support/recording-log.ts";

const seed = Number(process.env["OVERLOAD_SEED"] ?? 1);
// What an environment is delivered with.
const timeoutSeconds = 10;
const maxConcurrency = 5;
const maxRequestsPerInstance = 500;
const callsPerCreate = 2;

/** Returns the response to a call that the platform refuses at once, or `hangs`, this many seconds after the start. */
export type Refuse = (request: PlatformRequest, second: number) => PlatformHttpResponse | "hangs" | undefined;

export interface Surroundings {
  readonly instances?: number;
  /** How long the platform works on a call, on average. */
  readonly callSeconds: number;
  /** How many calls the platform works on at once. Others wait, and it works on each to its end. */
  readonly slots?: number;
  readonly refuse?: Refuse;
  /** How long storage takes to receive a message. */
  readonly storageSeconds?: number;
  /** Whether callers arrive at random times and instances, instead of evenly and in turn. */
  readonly isRandom?: boolean;
  /** Whether the platform answers one list quickly before the load begins. */
  readonly isQuickAtFirst?: boolean;
  /** How many rooms the pool holds at first. */
  readonly pooled?: number;
  /** Whether rooms are made by the gateway's provisioning, instead of appearing when they are requested. */
  readonly provisions?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
}

/** One request that has ended. */
export interface Ended {
  /** When it ended, in seconds after the start. */
  readonly second: number;
  readonly took: number;
  readonly error: GatewayError | undefined;
}

type Send = (instance: Dependencies) => Promise<unknown>;

export async function createLoadWorld(surroundings: Surroundings) {
  const { instances = 1, callSeconds, slots = maxConcurrency, refuse, storageSeconds = 0 } = surroundings;
  const { isRandom = false, isQuickAtFirst = false, pooled = 200, provisions = false } = surroundings;
  const random = createSeededRandom(seed);
  const clock = createVirtualClock(random);
  const startedAt = clock.now();
  const secondsNow = () => (clock.now() - startedAt) / 1000;
  const world = createMemoryWorld(clock);
  const { platform, queues } = world;
  const work = new PQueue({ concurrency: slots });
  const log = createRecordingLog();
  let isQuick = isQuickAtFirst;
  let maxCallsInFlight = 0;

  /** The connection of one instance to the platform. */
  function newNetwork(): PlatformTransport {
    let inFlight = 0;
    return async (request) => {
      maxCallsInFlight = Math.max(maxCallsInFlight, ++inFlight);
      try {
        return await respond(request);
      } finally {
        inFlight -= 1;
      }
    };
  }

  async function respond(request: PlatformRequest): Promise<PlatformHttpResponse> {
    const refusal = isQuick ? undefined : refuse?.(request, secondsNow());
    if (refusal !== "hangs" && (refusal || isQuick)) {
      await clock.sleep(20);
      return refusal ?? platform.transport(request, "");
    }
    const carryOut = async () => {
      await clock.sleep(callSeconds * (800 + random.integerBelow(400)));
      return platform.transport(request, "");
    };
    const response = refusal === "hangs" ? new Promise<never>(() => undefined) : work.add(carryOut);
    const responded = new AbortController();
    const limit = request.timeoutSeconds ?? timeoutSeconds;
    const timeout = clock.sleep(limit * 1000, responded.signal).then(() => {
      throw transportFailure(request, Object.assign(new Error("timeout"), { code: "ETIMEDOUT" }));
    });
    return Promise.race([response, timeout]).finally(() => responded.abort("responded"));
  }

  let rooms = 0;
  /** Adds a room to the platform, and its name to the pool if it is pooled. */
  async function addRoom(state: "pooled" | "assigned" = "pooled"): Promise<string> {
    rooms += 1;
    const name = `room-${rooms}`;
    const since = new Date(clock.now()).toISOString();
    platform.seedRooms({
      rows: [{ name, description: formatMarker({ state, since }), aliases: [{ alias: name }] }],
    });
    if (state === "pooled") await queues.pool.put(name);
    return name;
  }
  /** A room that is requested appears at once, unless the gateway's provisioning makes it. */
  async function appear(): Promise<void> {
    await addRoom();
    await queues.provisioning.clear();
  }

  function newInstance(): Dependencies {
    return createMemoryGateway(world, {
      settings: {
        PLATFORM_TIMEOUT_SECONDS: String(timeoutSeconds),
        PLATFORM_MAX_CONCURRENCY: String(maxConcurrency),
        ...surroundings.settings,
      },
      adapters: { random },
      network: newNetwork,
      before: async ({ port, operation }) => {
        if (port === "pool" && operation === "receive") await clock.sleep(storageSeconds * 1000);
      },
      after: async ({ port, operation }) => {
        if (port === "provisioning" && operation === "put" && !provisions) await appear();
      },
    }).dependencies;
  }

  const all = Array.from({ length: instances }, () => ({ parts: newInstance(), requests: 0 }));
  let last = 0;
  let maxRequests = 0;

  /** Sends a request to an instance, and adds how it ended to `ended`. */
  async function send(request: Send, ended: Ended[]): Promise<void> {
    last = isRandom ? random.integerBelow(instances) : (last + 1) % instances;
    const instance = all[last];
    if (!instance) throw new Error("there is no instance");
    const arrivedAt = secondsNow();
    let error: GatewayError | undefined;
    maxRequests = Math.max(maxRequests, ++instance.requests);
    try {
      await request(instance.parts);
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      error = cause;
    }
    instance.requests -= 1;
    ended.push({ second: secondsNow(), took: secondsNow() - arrivedAt, error });
  }

  platform.seedRooms({ rows: [{ name: "read-room", aliases: [{ alias: "read-room" }] }] });
  for (let count = 0; count < pooled; count++) await addRoom();
  const lists = isQuick ? all.map(async ({ parts }) => parts.sharedList.list()) : [];
  await clock.advance(100);
  await Promise.all(lists);
  isQuick = false;

  /** Serves requests for rooms with the provisioning of one instance, four at once. */
  function provisionOn({ provisioning }: Dependencies, pollSeconds = 1): void {
    async function serveForever(): Promise<void> {
      for (;;) {
        const [request] = await queues.provisioning.receive(1, 600);
        if (!request) await clock.sleep(pollSeconds * 1000);
        else {
          await provisioning.provision(JSON.parse(request.text), 1, log);
          await queues.provisioning.delete(request);
        }
      }
    }
    for (let message = 0; message < 4; message++) void serveForever();
  }

  return {
    clock,
    platform,
    queues,
    log,
    addRoom,
    newInstance,
    /** The instances that callers reach. */
    instances: all.map(({ parts }) => parts),
    provisionOn,
    possiblePerSecond: { calls: slots / callSeconds, creates: slots / callSeconds / callsPerCreate },
    requests: {
      /** Creates a room. The conference in it is not played. */
      create: async ({ claims }: Dependencies): Promise<void> => {
        const room = await claims.claim("https://verification.example.com/1", log);
        // Keeps long runs fast.
        platform.state.conferences.remove(String(room.id));
      },
      read: async ({ conferences }: Dependencies) => conferences.findByName("read-room"),
      event: async ({ deletionQueueWriter }: Dependencies) =>
        deletionQueueWriter.queueEndedRooms(["gone"], log),
    },
    /** Returns the requests of one kind that have ended, and lets them arrive from now on. */
    arrive(perSecond: number, request: Send): readonly Ended[] {
      const ended: Ended[] = [];
      async function arriveForever(): Promise<void> {
        for (;;) {
          void send(request, ended);
          const share = isRandom ? -Math.log(1 - random.integerBelow(1_000_000) / 1_000_000) : 1;
          await clock.sleep((share * 1000) / perSecond);
        }
      }
      void arriveForever();
      return ended;
    },
    /** Sends this many requests of one kind at once. */
    sendAtOnce(count: number, request: Send, ended: Ended[] = []): readonly Ended[] {
      for (let sent = 0; sent < count; sent++) void send(request, ended);
      return ended;
    },
    /** Lets time pass. No instance may have more requests than the host lets in, or more calls than its slots. */
    async pass(seconds: number): Promise<void> {
      await clock.advance(seconds * 1000);
      expect(maxCallsInFlight).toBeLessThanOrEqual(Math.max(slots, maxConcurrency));
      expect(maxRequests).toBeLessThanOrEqual(maxRequestsPerInstance);
    },
    /** Returns the rooms that the gateway has put on the deletion queue; events put plain names there. */
    namesGivenUp: () =>
      queues.deletion
        .texts()
        .filter((text) => text.startsWith("{"))
        .map((text) => decodeRoomMessage(text).room),
  };
}

/** Returns the requests that succeeded within 30 s. */
export const inTime = (ended: readonly Ended[]) => ended.filter(({ error, took }) => !error && took <= 30);
