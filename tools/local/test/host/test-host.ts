/** Starts the local host with an app of this folder, and waits for lines of its log. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { useStarted } from "../../../../test/support/use-started.ts";
import {
  type FunctionsHost,
  type FunctionsHostOptions,
  startFunctionsHost,
} from "../../host/functions-host.ts";
import type { LogEntry } from "../../host/messages.ts";

export type TestHost = Awaited<ReturnType<typeof startTestHost>>;

const waitLimitMilliseconds = 15_000;

/** One host for all tests of the file or group. */
export function useTestHost(...given: Parameters<typeof startTestHost>): TestHost {
  return useStarted(async () => startTestHost(...given));
}

/** Starts the host on an app, whose path is in this folder. */
export async function startTestHost(app: string, options: Partial<FunctionsHostOptions> = {}) {
  const log: LogEntry[] = [];
  const host = await startFunctionsHost({
    entry: resolve(import.meta.dirname, app),
    hostJsonPath: fileURLToPath(new URL("../../../../host.json", import.meta.url)),
    environment: {},
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
    /** Resolves with the messages that contain the text, once there are this many of them. */
    waitForMessages: async (count: number, text = ""): Promise<string[]> =>
      vi.waitFor(
        () => {
          const found = appMessages().filter((message) => message.includes(text));
          if (found.length < count)
            throw new Error(`${found.length} of ${count} messages with "${text}" so far.`);
          return found;
        },
        { timeout: waitLimitMilliseconds, interval: 20 },
      ),
  };
}

/** Fires a function by hand. */
export async function fire(host: FunctionsHost, name: string, body: unknown = { input: "" }) {
  const answer = await fetch(`${host.url}/admin/functions/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.text() };
}
