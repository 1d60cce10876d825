/** Reads the settings of host.json that the local host follows. */
import { readFile } from "node:fs/promises";
import * as z from "zod";

const timeSpan = z
  .string()
  .regex(/^(\d+\.)?\d{1,2}:\d{2}:\d{2}(\.\d+)?$/)
  .transform((text) => {
    const [, days = "0", hours, minutes, seconds] = /^(?:(\d+)\.)?(\d+):(\d+):([\d.]+)$/.exec(text) ?? [];
    return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  });

const queues = z
  .object({
    batchSize: z.int().min(1).max(32).default(16),
    newBatchThreshold: z.int().min(0).optional(),
    visibilityTimeout: timeSpan.default(0),
    maxDequeueCount: z.int().min(1).default(5),
    maxPollingInterval: timeSpan.default(2),
    messageEncoding: z.enum(["base64", "none"]).default("base64"),
  })
  .transform(({ visibilityTimeout, maxPollingInterval, newBatchThreshold, ...read }) => ({
    ...read,
    newBatchThreshold: newBatchThreshold ?? Math.floor(read.batchSize / 2),
    visibilityTimeoutSeconds: visibilityTimeout,
    maxPollingIntervalSeconds: maxPollingInterval,
  }));

const hostJson = z.object({
  extensions: z
    .object({
      http: z.object({ routePrefix: z.string().default("api") }).prefault({}),
      queues: queues.prefault({}),
    })
    .prefault({}),
});

export type QueueSettings = Readonly<z.output<typeof queues>>;

export interface HostSettings {
  readonly routePrefix: string;
  readonly queues: QueueSettings;
}

/** Reads the file and applies the real host's defaults. Throws if a value is not allowed. */
export async function readHostJson(path: string): Promise<HostSettings> {
  const { http, queues } = hostJson.parse(JSON.parse(await readFile(path, "utf8"))).extensions;
  return { ...http, queues };
}
