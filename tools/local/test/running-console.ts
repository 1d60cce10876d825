/** A local gateway with its console. */
import { expect, vi } from "vitest";
import { fetchAccessToken } from "../../simulators/consumer.ts";
import { startConsole } from "../console/console-server.ts";
import { createTimeline } from "../console/timeline.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { openLocalQueues } from "../stack/local-queues.ts";

const waiting = { timeout: 300_000, interval: 200 };

/** Starts a gateway that deletes rooms a few seconds after their end, and requests a full pool. */
export async function startRunningConsole(settings: Record<string, string> = {}) {
  const timeline = createTimeline();
  const gateway = await startLocalGateway({
    settings: { GC_MINIMUM_AGE_SECONDS: "2", ...settings },
    onLog: timeline.onLog,
  });
  const options = { ...gateway, timeline };
  const shown = await startConsole(options);
  const { connection } = gateway;
  const headers = { authorization: `Bearer ${await fetchAccessToken(connection.tokenUrl)}` };
  const call = async (request: string): Promise<Response> => {
    const [method = "", path = ""] = request.split(" ");
    return fetch(connection.gatewayUrl + path, { method, headers });
  };
  const queues = openLocalQueues(connection.storageConnectionString);

  /** Resolves when this many rooms can be handed out. */
  async function untilPoolHas(rooms: number): Promise<void> {
    await vi.waitFor(
      async () => expect((await queues.pool.peek()).length).toBeGreaterThanOrEqual(rooms),
      waiting,
    );
  }

  /** Requests a full pool, and resolves when half of it is there. */
  async function fillPool(): Promise<void> {
    // A busy computer can let the first calls fail.
    await vi.waitFor(async () => expect((await call("POST /room/bulk/")).status).toBe(202), waiting);
    // A run that fails on a busy computer is repeated half a minute later.
    await untilPoolHas(connection.maxLevel / 2);
  }

  await fillPool();
  return {
    url: shown.url,
    connection,
    stack: gateway.stack,
    /** Starts a second console of the same gateway. */
    startAnother: async (changed = connection) => startConsole({ ...options, connection: changed }),
    untilPoolHas,
    fillPool,
    /** Resolves when no room is requested or being provisioned. */
    untilProvisioned: async () =>
      vi.waitFor(async () => expect(await queues.provisioning.count()).toBe(0), waiting),
    /** Calls the gateway as a consumer does, with the method and the path of `request`. */
    call,
    stop: async () => {
      await shown.stop();
      await gateway.stop();
    },
  };
}
