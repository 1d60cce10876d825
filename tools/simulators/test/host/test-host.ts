/** Starts the local host with an app of this folder. */
import { resolve } from "node:path";
import { type FunctionsHostOptions, startFunctionsHost } from "../../host/functions-host.ts";
import type { LogEntry } from "../../host/messages.ts";

/** Starts the host on an app, whose path is in this folder. Without a storage, its queue function is disabled. */
export async function startTestHost(app: string, options: Partial<FunctionsHostOptions> = {}) {
  const log: LogEntry[] = [];
  const host = await startFunctionsHost({
    entry: resolve(import.meta.dirname, app),
    environment: { "AzureWebJobs.work.Disabled": "true" },
    onLog: (line) => log.push(line),
    ...options,
  });
  return { host, log, stop: host.stop };
}
