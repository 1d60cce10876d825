/** Starts the local host with an app of this folder, and waits for lines of its log. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { type FunctionsHostOptions, startFunctionsHost } from "../../host/functions-host.ts";
import type { LogEntry } from "../../host/messages.ts";

/** Starts the host on an app, whose path is in this folder. Without a storage, its queue function is disabled. */
export async function startTestHost(app: string, options: Partial<FunctionsHostOptions> = {}) {
  const log: LogEntry[] = [];
  const host = await startFunctionsHost({
    entry: resolve(import.meta.dirname, app),
    hostJsonPath: fileURLToPath(new URL("../../../../host.json", import.meta.url)),
    environment: { "AzureWebJobs.work.Disabled": "true" },
    onLog: (line) => log.push(line),
    ...options,
  });
  /** The messages that the app itself logged. */
  const appMessages = () => log.filter((line) => line.category.endsWith(".User")).map((line) => line.message);
  return {
    host,
    log,
    stop: host.stop,
    appMessages,
    /** Resolves once this many messages of the app contain the text. */
    untilLogged: async (count: number, text: string): Promise<void> =>
      vi.waitFor(
        () => {
          const found = appMessages().filter((message) => message.includes(text));
          if (found.length < count) throw new Error(`${found.length} of ${count} messages with "${text}"`);
        },
        { timeout: 60_000, interval: 20 },
      ),
  };
}
