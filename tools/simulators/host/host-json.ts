/** Reads the settings of host.json that the local host follows. */
import { readFile } from "node:fs/promises";
import * as z from "zod";

const timeSpan = z
  .string()
  .regex(/^\d{2}:\d{2}:\d{2}$/)
  .transform((text) => {
    const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
    return hours * 3600 + minutes * 60 + seconds;
  });

const hostJson = z.object({
  extensions: z.object({
    http: z.object({ routePrefix: z.literal("") }),
    queues: z.object({
      batchSize: z.int().min(1).max(32),
      newBatchThreshold: z.int().min(0),
      visibilityTimeout: timeSpan,
      maxDequeueCount: z.int().min(1),
      maxPollingInterval: timeSpan,
      messageEncoding: z.literal("base64"),
    }),
  }),
});

export type QueueSettings = Awaited<ReturnType<typeof readHostJson>>["queues"];

/** Reads the file, which must state every setting that this host follows. Throws if a value is not allowed. */
export async function readHostJson(path: string) {
  const { queues } = hostJson.parse(JSON.parse(await readFile(path, "utf8"))).extensions;
  const { batchSize, newBatchThreshold, maxDequeueCount } = queues;
  return {
    queues: {
      batchSize,
      newBatchThreshold,
      maxDequeueCount,
      visibilityTimeoutSeconds: queues.visibilityTimeout,
      maxPollingIntervalSeconds: queues.maxPollingInterval,
    },
  };
}
