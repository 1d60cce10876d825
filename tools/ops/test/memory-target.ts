/** A gateway of which only the queues exist, in memory. */
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { createManualClock } from "../../simulators/memory/clock.ts";
import { createMemoryQueue } from "../../simulators/memory/queue.ts";
import { defaultLimits, type Target } from "../gateway/target.ts";

/** Returns a target; `changes` replace parts of it. */
export function memoryTarget(changes: Partial<Target> = {}): Target {
  const clock = createManualClock();
  return {
    name: "a gateway in memory",
    since: undefined,
    clock,
    gatewayUrl: "http://127.0.0.1:1",
    settings: loadSettings(exampleEnvironment),
    limits: defaultLimits,
    queues: {
      pool: createMemoryQueue(clock),
      deletion: createMemoryQueue(clock),
      provisioning: createMemoryQueue(clock),
      poison: createMemoryQueue(clock),
    },
    log: {
      lines: async () => [],
      refusedByApiManagement: async () => [],
      loadFailure: async () => undefined,
      newestMetrics: async () => undefined,
    },
    platform: undefined,
    unresolvedSecrets: async () => [],
    operatorId: async () => undefined,
    ...changes,
  };
}
