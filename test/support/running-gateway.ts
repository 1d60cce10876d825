/** The whole product, running: a development stack and the app in the local host, called over HTTP only. */
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { createCredential } from "../../src/lib/azure/credential.ts";
import { openQueues } from "../../src/lib/azure/storage-queue.ts";
import { startDevelopmentStack } from "../../tools/simulators/development-stack.ts";
import type { Received, Sent } from "../../tools/simulators/exchange.ts";
import { startFunctionsHost } from "../../tools/simulators/host/functions-host.ts";
import type { LogEntry } from "../../tools/simulators/host/messages.ts";
import { createHttpClient } from "./http-client.ts";
import { platformRooms } from "./platform-rooms.ts";
import { useStarted } from "./use-started.ts";

/** Returns what overrides the development stack's settings. */
type Override = (
  defaults: Record<string, string>,
) => Record<string, string> | Promise<Record<string, string>>;

// Some tests wait for hundreds of rooms.
const waiting = { timeout: 300_000, interval: 20 };

export type RunningGateway = Awaited<ReturnType<typeof startRunningGateway>>;

/** One running gateway for all tests of the file. */
export function useRunningGateway(override: Override = () => ({})) {
  return useStarted(async () => startRunningGateway(override));
}

async function startRunningGateway(override: Override) {
  await using parts = new AsyncDisposableStack();
  const stack = parts.adopt(await startDevelopmentStack(), async ({ stop }) => stop());
  const settings = { ...stack.settings, ...(await override(stack.settings)) };
  const storage = { connectionString: stack.azurite.connectionString };
  const queues = openQueues({ storage, credential: createCredential(storage), timeoutSeconds: 60 });
  const rooms = platformRooms(stack.platform, Date.now);
  const log: LogEntry[] = [];
  const start = async (port = 0) =>
    startFunctionsHost({
      entry: fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
      environment: settings,
      port,
      // Tests fire the timers with `runTimer`.
      timersEnabled: false,
      queues: { maxPollingIntervalSeconds: 0.1, visibilityTimeoutSeconds: 1 },
      onLog: (entry) => {
        log.push(entry);
        stack.logWorkspace.addEntry(entry);
      },
    });
  let host = await start();
  parts.defer(async () => host.stop());
  if (host.functions.length === 0)
    throw new Error(`the app did not load: ${log.map(({ message }) => message).join("\n")}`);
  const { url } = host;
  const client = parts.adopt(createHttpClient(url), ({ close }) => close());

  const bearerToken = () => stack.issuer.issueToken();
  const asApplication = () => ({ authorization: `Bearer ${bearerToken()}` });
  const send = async (request: string, sent: Sent = {}): Promise<Received> => client.send(request, sent);
  /** With a valid bearer token. */
  const sendAsApplication = async (request: string, sent: Sent = {}): Promise<Received> =>
    send(request, { ...sent, headers: { ...asApplication(), ...sent.headers } });

  /** Waits until no provisioning request is pending or being processed. Returns the depth of the pool. */
  async function settled(): Promise<number> {
    await vi.waitFor(async () => expect(await queues.provisioning.count()).toBe(0), waiting);
    return queues.pool.count();
  }

  /**
   * Removes all rooms and messages, and resets the platform. First waits for the replacements of rooms that the
   * previous test took: they must not arrive during the next one.
   */
  async function empty(): Promise<void> {
    await settled();
    stack.platform.reset();
    await Promise.all(Object.values(queues).map(async (queue) => queue.clear()));
  }

  async function fillPool(count: number): Promise<void> {
    const { status } = await sendAsApplication(`POST /room/bulk/?max_vmr=${count}`);
    expect({ status, depth: await settled() }).toEqual({ status: 202, depth: count });
  }

  /** Fires a timer and waits for the end of its run. Throws unless the run ends as expected. */
  async function runTimer(
    name: "collectGarbage" | "collectMetrics",
    expected: "Succeeded" | "Failed" = "Succeeded",
  ): Promise<void> {
    const ends = () => log.filter(({ message }) => message.startsWith(`Executed 'Functions.${name}'`));
    const before = ends().length;
    const { status } = await send(`POST /admin/functions/${name}`, { json: { input: "" } });
    expect(status).toBe(202);
    await vi.waitFor(() => expect(ends().length).toBeGreaterThan(before), waiting);
    expect(ends()[before]?.message).toContain(`(${expected},`);
  }

  const running = parts.move();
  return {
    url,
    stack,
    settings,
    queues,
    log,
    send,
    sendAsApplication,
    bearerToken,
    asApplication,
    settled,
    empty,
    fillPool,
    runTimer,
    ...rooms,
    /** Ends the app's process. The host starts another one. */
    killApp: () => process.kill(host.workerProcessId() ?? 0, "SIGKILL"),
    /** Restarts the host on the same port. */
    restart: async () => {
      await host.stop();
      host = await start(Number(new URL(url).port));
    },
    stop: async (): Promise<void> => running.disposeAsync(),
  };
}
