/** Measures a gateway as its metrics run does. */
import { randomUUID } from "node:crypto";
import { type Measurement, measure } from "../../src/lib/metrics/measurement.ts";
import { systemClock } from "../../src/lib/ports.ts";
import { version } from "../../src/lib/version.ts";
import type { Platform, Target } from "./target/target.ts";
import type { CommandLog } from "./terminal/command-log.ts";

/** Never throws: a value that cannot be measured is logged and null. `fingerprint` is that of new rooms. */
export async function measureTarget(
  { queues, settings }: Pick<Target, "queues" | "settings">,
  { conferences, status }: Platform,
  fingerprint: string | undefined,
  log: CommandLog,
): Promise<Measurement> {
  const options = { queues, conferences, status, clock: systemClock, newId: randomUUID, version };
  const { maxRooms, minRooms } = settings.pool;
  return measure({ ...options, instanceId: "ops", maxRooms, minRooms, fingerprint: fingerprint ?? "" }, log);
}
