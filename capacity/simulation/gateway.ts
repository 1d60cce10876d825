/** The instances of a simulated gateway: each has its own dependencies, and all share the queues and the platform. */

import { createDependencies, type Dependencies } from "../../src/lib/dependencies.ts";
import type { Log } from "../../src/lib/log.ts";
import { createClient } from "../../src/lib/platform/client.ts";
import { createBasicLogIn } from "../../src/lib/platform/log-in.ts";
import { newGuestPin, newRoomName, toNewConference } from "../../src/lib/pool/new-room.ts";
import type { Queue } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import { createMemoryQueue } from "../../test/support/memory-queue.ts";
import { createMemoryRecordStore } from "../../test/support/memory-record-store.ts";
import { openAccess } from "../../test/support/open-access.ts";
import type { SeededRandom } from "../../tools/local/process/seeded-random.ts";
import { gatewaySettings } from "../../tools/local/stack/gateway-settings.ts";
import type { Scenario } from "../scenario.ts";
import { createSimulatedPlatform } from "./simulated-platform.ts";
import { createSlowQueue } from "./slow-queue.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface GatewayOptions {
  readonly scenario: Scenario;
  readonly poolSize: number;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly log: Log;
}

const surroundings = {
  connectionString: "UseDevelopmentStorage=true",
  platformUrl: "https://platform.example.com",
  authorityUrl: "http://127.0.0.1:1",
  contactCentreUrl: "http://127.0.0.1:1",
  logWorkspaceUrl: "http://127.0.0.1:1",
};

export type SimulatedGateway = ReturnType<typeof createGateway>;

/** Creates the gateway with an empty pool. Flex Consumption scales each group of functions separately, and so does this. */
export function createGateway({ scenario, poolSize, time, random, log }: GatewayOptions) {
  const settings = loadSettings({
    ...gatewaySettings(surroundings),
    MAX_VMR: String(poolSize),
    POOL_MINIMUM: String(poolSize),
    POOL_READY_DELAY_SECONDS: String(scenario.readyDelaySeconds),
    GC_MAX_MESSAGES: String(scenario.gcMaxMessages),
    PLATFORM_MAX_CONCURRENCY: String(scenario.maxConcurrency),
  });
  const { timeoutSeconds, maxConcurrency } = settings.platform;
  const platform = createSimulatedPlatform({ ...scenario, time, random, timeoutSeconds });
  let lastId = 0;
  const newId = () => `id-${(lastId += 1)}`;
  const memory = () => createMemoryQueue(time, newId);
  const contents = { pool: memory(), deletion: memory(), provisioning: memory(), poison: memory() };
  const queueCalls = { pool: 0, deletion: 0, provisioning: 0, poison: 0 };
  const slow = (name: keyof typeof contents): Queue =>
    createSlowQueue(contents[name], time, random, () => void (queueCalls[name] += 1));
  const queues = {
    pool: slow("pool"),
    deletion: slow("deletion"),
    provisioning: slow("provisioning"),
    poison: slow("poison"),
  };

  function createInstance(): Dependencies {
    const logIn = createBasicLogIn("gateway", "platform-password");
    return createDependencies(settings, {
      queues,
      createRecords: createMemoryRecordStore(),
      platformClient: createClient(platform.exchange, {
        timeoutSeconds,
        maxConcurrency,
        logIn,
        clock: time,
        random,
      }),
      accessChecks: openAccess,
      metricsSink: async () => undefined,
      clock: time,
      random,
      newId,
    });
  }
  const group = (count: number) => Array.from({ length: count }, createInstance);

  async function addPooledRoom(): Promise<void> {
    const { hostPin, template } = settings.rooms;
    const name = newRoomName(random);
    const guestPin = newGuestPin(hostPin, random);
    const since = new Date(time.now()).toISOString();
    platform.insert(toNewConference({ name, hostPin, guestPin, template, since }));
    await contents.pool.put(name);
  }

  return {
    log,
    platform,
    queues,
    /** The number of operations on each queue. */
    queueCalls,
    /** Returns the number of rooms that can be claimed now. */
    pooledRooms: () => contents.pool.contents().filter(({ visibleAt }) => visibleAt <= time.now()).length,
    /** Returns the number of messages about ended rooms. */
    endedRooms: () => contents.deletion.contents().length,
    http: group(scenario.instances),
    queueTrigger: group(scenario.instances),
    collector: createInstance(),
    metrics: createInstance(),
    addPooledRoom,
  };
}
