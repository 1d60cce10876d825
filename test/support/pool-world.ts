/** The world of the pool tests: the real client, platform and queues in memory, and a manual clock. */
import { beforeEach } from "vitest";
import { createGarbageCollection, type GarbageCollectionOptions } from "../../src/lib/deletion/collection.ts";
import type { MetricsRow } from "../../src/lib/metrics/measurement.ts";
import { decodeRoomMessage } from "../../src/lib/ownership/room.ts";
import { createConferences } from "../../src/lib/platform/conferences.ts";
import { createPlatformStatus } from "../../src/lib/platform/status-api.ts";
import { type ClaimOptions, type Claims, createClaims } from "../../src/lib/pool/claim.ts";
import { createReplenishment } from "../../src/lib/pool/replenishment.ts";
import type { MetricsSink } from "../../src/lib/ports.ts";
import { createManualClock } from "../../tools/simulators/memory/clock.ts";
import {
  createMemoryGateway,
  createMemoryWorld,
  type MemoryRequest,
} from "../../tools/simulators/memory/gateway.ts";
import { gatewayName } from "./markers.ts";
import { hostPin, platformRooms } from "./platform-rooms.ts";
import { createRecordingLog } from "./recording-log.ts";

export { guestPin, hostPin } from "./platform-rooms.ts";

export const serviceTag = "https://verification.example.com/séance/1?agent=Zoë%20🏠";
export const maxLevel = 5;
export const leaseSeconds = 300;
export const platformTimeoutSeconds = 10;

type PoolWorld = ReturnType<typeof createPoolWorld>;

interface ClaimCall extends Partial<ClaimOptions> {
  readonly serviceTag?: string | undefined;
}

/** Creates a world before each test. */
export function usePoolWorld(): PoolWorld {
  const world: PoolWorld = Object.create(null);
  beforeEach(() => void Object.assign(world, createPoolWorld()));
  return world;
}

function createPoolWorld() {
  const world = createMemoryWorld(createManualClock());
  const { clock, platform, queues } = world;
  const { pool, deletion, provisioning } = queues;
  const log = createRecordingLog();
  const settings = {
    ROOM_HOST_PIN: hostPin,
    MAX_VMR: String(maxLevel),
    PLATFORM_TIMEOUT_SECONDS: String(platformTimeoutSeconds),
  };
  const functionLog: string[] = [];
  const gateway = createMemoryGateway(world, { settings, onLog: (line) => void functionLog.push(line) });
  const { client } = gateway;
  const parts = {
    ...queues,
    clock,
    gatewayName,
    conferences: createConferences(client),
    takeClaimSlot: client.takeClaimSlot,
    takeSlot: client.background.takeSlot,
    replenishment: createReplenishment({ pool, provisioning, maxLevel }),
  };

  const rooms = platformRooms(platform, clock.now);

  const newClaims = (options: Partial<ClaimOptions> = {}): Claims =>
    createClaims({ ...parts, leaseSeconds, platformTimeoutSeconds, ...options });
  const claims = newClaims();

  const newCollector = (options: Partial<GarbageCollectionOptions> = {}) => {
    const status = createPlatformStatus(client);
    const limits = { maxMessages: 20, minAgeSeconds: 600, maxAgeHours: undefined } as const;
    return createGarbageCollection({ ...parts, status, unmarkedRooms: "collect", ...limits, ...options });
  };
  const collector = newCollector();

  return {
    ...world,
    ...parts,
    log,
    client,
    /** The lines that functions have logged. */
    functionLog,
    runTimer: gateway.runTimer,
    deliver: gateway.deliver,
    /** Sends a request to a function; `code` is that of the failure in the request's log line. */
    call: async (name: string, request?: MemoryRequest) => {
      const received = await gateway.call(name, request);
      const line = functionLog.findLast((line) => line.includes('"event":"request"')) ?? "";
      return { ...received, code: /"code":"([a-z-]+)"/.exec(line)?.[1] };
    },
    /** Returns the names on the deletion queue. */
    deletionNames: () => deletion.texts().map((text) => decodeRoomMessage(text).room),
    /** Returns the messages on the provisioning queue. */
    requests: () => provisioning.texts().map((text): unknown => JSON.parse(text)),
    ...rooms,
    /** Adds a room to the platform and its name to the pool. */
    addPooled: async (name: string, fields?: Record<string, unknown>) => {
      rooms.addRoom(name, fields);
      await pool.put(name);
    },
    /** Adds an assigned room to the platform and its name, as an event does, to the deletion queue; returns its id. */
    addEnded: async (name: string, fields?: Record<string, unknown>) => {
      await deletion.put(name);
      return rooms.addAssigned(name, fields);
    },
    /** Returns the names of all rooms on the platform, regardless of injected faults. */
    roomNames: () => platform.rooms().map(({ name }) => name),
    createClaims: newClaims,
    /**
     * Claims one room with `serviceTag`, unless the options replace or remove the tag. All claims of a test are of one
     * instance, but for those with other options.
     */
    claim: async (options?: ClaimCall) => {
      const { serviceTag: tag, ...claimOptions } = { serviceTag, ...options };
      const ownClaims = Object.keys(claimOptions).length > 0 ? newClaims(claimOptions) : claims;
      return ownClaims.claim(tag, log);
    },
    /**
     * Moves the clock forward, then runs the collector, of at most 20 messages with a minimum age of 600 s, or one with
     * other options.
     */
    collectGarbageAfter: async (seconds: number, options?: Partial<GarbageCollectionOptions>) => {
      clock.advance(seconds);
      await (options ? newCollector(options) : collector).collect(log);
    },
    /** Runs the metrics collection once and returns its row. */
    collectMetrics: async (
      changed: Record<string, string> = {},
      metricsSink: MetricsSink<MetricsRow> = async (row) => void world.rows.push(row),
    ): Promise<MetricsRow | undefined> => {
      const ids = ["instance-1", "run-1"];
      const adapters = { metricsSink, newId: () => ids.shift() ?? "" };
      await createMemoryGateway(world, {
        settings: { ...settings, ...changed },
        adapters,
      }).dependencies.metricsRun(log);
      return world.rows.at(-1);
    },
  };
}
