/** Reads the settings of host.json that the local host follows. */
import { readFile } from "node:fs/promises";
import * as z from "zod";

/** A time in seconds, which the file writes as `00:00:30`. */
const timeSpan = z.iso.time({ precision: 0 }).transform((text) => Date.parse(`1970-01-01T${text}Z`) / 1000);

const queuesSchema = z
  .object({
    batchSize: z.int().min(1).max(32),
    newBatchThreshold: z.int().min(0),
    visibilityTimeout: timeSpan,
    maxDequeueCount: z.int().min(1),
    maxPollingInterval: timeSpan,
    messageEncoding: z.literal("base64"),
  })
  .transform(({ visibilityTimeout, maxPollingInterval, ...others }) => ({
    ...others,
    visibilityTimeoutSeconds: visibilityTimeout,
    maxPollingIntervalSeconds: maxPollingInterval,
  }));
const hostJson = z.object({
  functionTimeout: timeSpan,
  extensions: z.object({ http: z.object({ routePrefix: z.literal("") }), queues: queuesSchema }),
});

export type QueueSettings = Awaited<ReturnType<typeof readQueueSettings>>;

/** Reads the file, which must state every setting that this host follows. Throws if a value is not allowed. */
export async function readQueueSettings(path: string) {
  const { extensions, functionTimeout } = hostJson.parse(JSON.parse(await readFile(path, "utf8")));
  // No run outlives its lease, so leases need no renewal.
  return { ...extensions.queues, leaseSeconds: functionTimeout };
}
