/** The world of the pool tests: the platform simulator behind the real client, queues in memory, a clock that stands. */
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../local/simulators/platform/platform-simulator.ts";
import { createPlatformClient, type PlatformClient } from "../../src/lib/platform/client.ts";
import type { ConferenceRow } from "../../src/lib/platform/conference-row.ts";
import { type Conferences, createConferences } from "../../src/lib/platform/conferences.ts";
import { createBasicLogIn } from "../../src/lib/platform/log-in.ts";
import { withRetries } from "../../src/lib/platform/retry.ts";
import { createReplenishment, type Replenishment } from "../../src/lib/pool/replenishment.ts";
import { secureRandom } from "../../src/lib/random.ts";
import { toNewConference } from "../../src/lib/rooms/rooms.ts";
import { createFaultyQueue, type FaultyQueue } from "./faulty-queue.ts";
import { createManualClock, type ManualClock } from "./manual-clock.ts";
import { createMemoryQueue } from "./memory-queue.ts";
import { createRecordingLog, type RecordingLog } from "./recording-log.ts";

export const hostPin = "482913";
export const guestPin = "771204";
export const maxRooms = 5;
/** Longer than any computer stands still. */
export const platformTimeoutSeconds = 10;
/** Of calls that get no answer, which a test waits out. */
const silenceSeconds = 1.5;
export const maxClaimsAtOnce = 4;
/** What provisioning is made with, beside the world, where a test does not say otherwise. */
export const usualProvisioning = {
  random: secureRandom,
  hostPin,
  template: {},
  maxRooms,
  readyDelaySeconds: 0,
  leaseSeconds: 300,
  platformTimeoutSeconds,
};

export interface PoolWorld {
  readonly platform: PlatformSimulator;
  readonly clock: ManualClock;
  readonly log: RecordingLog;
  readonly pool: FaultyQueue;
  readonly deletion: FaultyQueue;
  readonly provisioning: FaultyQueue;
  readonly client: PlatformClient;
  readonly conferences: Conferences;
  readonly replenishment: Replenishment;
  /** A client of its own, which has no open connection yet. */
  newConferences(): Conferences;
  /** A room of ours on the platform, not in the pool; gives its id. */
  addRoom(name: string, fields?: Record<string, unknown>): number;
  /** A room on the platform whose name is in the pool. */
  addPooled(name: string, fields?: Record<string, unknown>): Promise<void>;
  /** The room as the platform has it, past every fault. */
  room(name: string): ConferenceRow | undefined;
  stop(): Promise<void>;
}

export async function startPoolWorld(): Promise<PoolWorld> {
  const clock = createManualClock();
  const account = { username: "api-user", password: "api-password" };
  const platform = await startPlatformSimulator({
    ...account,
    requestLimitPerMinute: null,
    now: () => clock.now(),
  });
  // Methods with a fault that never answers: their calls alone are given up soon.
  const silent = new Set<string>();
  const newClient = () => {
    const { call, background } = createPlatformClient({
      url: platform.url,
      timeoutSeconds: platformTimeoutSeconds,
      maxConcurrency: 5,
      logIn: createBasicLogIn(account.username, account.password),
      clock,
    });
    const limited =
      (send: PlatformClient["call"]): PlatformClient["call"] =>
      async (request) =>
        send(silent.has(request.method) ? { ...request, timeoutSeconds: silenceSeconds } : request);
    return withRetries(
      { call: limited(call), background: { call: limited(background.call) } },
      clock,
      secureRandom,
    );
  };
  const client = newClient();
  const newQueue = () => createFaultyQueue(createMemoryQueue(clock));
  const [pool, deletion, provisioning] = [newQueue(), newQueue(), newQueue()];

  const addRoom = (name: string, fields: Record<string, unknown> = {}): number => {
    const since = new Date(clock.now()).toISOString();
    const room = toNewConference({ name, hostPin, guestPin, template: {}, since });
    const [id] = platform.seedRooms({ rows: [{ ...room, ...fields }] });
    if (id === undefined) throw new Error("the simulator gave no id");
    return id;
  };

  return {
    platform: {
      ...platform,
      addFault: (fault) => {
        if (fault.kind === "timeout" && fault.method) silent.add(fault.method);
        return platform.addFault(fault);
      },
      clearFaults: (id) => {
        silent.clear();
        platform.clearFaults(id);
      },
    },
    clock,
    log: createRecordingLog(),
    pool,
    deletion,
    provisioning,
    client,
    conferences: createConferences(client),
    replenishment: createReplenishment({ pool, provisioning, maxRooms }),
    newConferences: () => createConferences(newClient()),
    addRoom,
    addPooled: async (name, fields) => {
      addRoom(name, fields);
      await pool.put(name);
    },
    room: (name) =>
      platform
        .rooms()
        .find((room): room is ConferenceRow & typeof room => room.name === name && room.configured),
    stop: async () => platform.stop(),
  };
}

/** Conferences whose first deletion takes so long that the clock moves on by this many seconds. */
export function conferencesWithSlowDelete({ client, clock }: PoolWorld, seconds: number): Conferences {
  let isFirst = true;
  return createConferences({
    call: async (request) => {
      const answer = await client.call(request);
      if (request.method === "DELETE" && isFirst) {
        isFirst = false;
        clock.advance(seconds);
      }
      return answer;
    },
  });
}
