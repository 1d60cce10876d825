/** Starts the local host on an app of this folder, with its log kept and a way to wait for something in it. */
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import {
  type FunctionsHost,
  type FunctionsHostOptions,
  startFunctionsHost,
} from "../../../local/host/functions-host.ts";
import type { LogEntry } from "../../../local/host/worker/messages.ts";

export interface TestHost {
  host: FunctionsHost;
  log: LogEntry[];
  /** The messages that the app itself logged. */
  appMessages: () => string[];
  /** Resolves with the messages that contain the text, once there are so many of them. */
  waitForMessages: (count: number, text?: string) => Promise<string[]>;
}

const waitLimitMilliseconds = 15_000;

export async function startTestHost(
  entry: URL,
  options: Partial<FunctionsHostOptions> = {},
): Promise<TestHost> {
  const log: LogEntry[] = [];
  const host = await startFunctionsHost({
    entry: fileURLToPath(entry),
    hostJsonPath: fileURLToPath(new URL("../../../host.json", import.meta.url)),
    environment: {},
    onLog: (line) => log.push(line),
    ...options,
  });
  const appMessages = () => log.filter((line) => line.category.endsWith(".User")).map((line) => line.message);
  return {
    host,
    log,
    appMessages,
    waitForMessages(count, text = "") {
      return vi.waitFor(
        () => {
          const found = appMessages().filter((message) => message.includes(text));
          if (found.length < count) {
            throw new Error(`${found.length} of ${count} messages with "${text}" so far.`);
          }
          return found;
        },
        { timeout: waitLimitMilliseconds, interval: 20 },
      );
    },
  };
}

export async function fire(host: FunctionsHost, name: string, body: unknown = { input: "" }) {
  const answer = await fetch(`${host.url}/admin/functions/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: await answer.text() };
}
