/** Hundreds of events from four nodes while the gateway restarts: no event is lost, no room is deleted twice. */
import { expect, test, vi } from "vitest";
import { identities } from "../../tools/simulators/identities.ts";
import { useRunningGateway } from "../support/running-gateway.ts";
import { longTestMilliseconds } from "../support/timeouts.ts";

const nodes = ["10.0.0.21", "10.0.0.22", "10.0.0.23", "10.0.0.24"];
// Each starts and ends on every node: eight events per room.
const rooms = Array.from({ length: 50 }, (_, index) => `room-${index}`);

const gateway = useRunningGateway({
  settings: () => ({ GC_MINIMUM_AGE_SECONDS: "0", GC_MAX_MESSAGES: "250" }),
});

test(
  "Events are all delivered, every name is queued, and every room is deleted once",
  async () => {
    const { platform } = gateway.stack;
    platform.configureSink({
      url: `${gateway.url}/public/event_sink`,
      username: identities.sinkUsername,
      password: identities.sinkPassword,
      initialBackoffSeconds: 0.05,
    });
    const delivered = async (count: number) =>
      vi.waitFor(() => expect(platform.sinkState().delivered).toBeGreaterThanOrEqual(count), {
        timeout: longTestMilliseconds,
        interval: 5,
      });

    for (const name of rooms) gateway.addAssigned(name);
    gateway.addAssigned("unrelated-room");
    for (const name of rooms) platform.startConference({ name, nodes });
    for (const name of rooms) platform.endConference({ name });

    await delivered(60);
    const worker = gateway.host().workerProcessId();
    if (worker !== undefined) process.kill(worker, "SIGKILL");
    await delivered(160);
    await gateway.stopHost();
    const failedBefore = platform.sinkState().failedAttempts;
    await vi.waitFor(() => expect(platform.sinkState().failedAttempts).toBeGreaterThan(failedBefore + 4), {
      timeout: longTestMilliseconds,
    });
    await gateway.startHost();
    await platform.sinkIdle();

    const state = platform.sinkState();
    // Each node also announces its sink.
    expect(state).toMatchObject({ queued: 0, delivered: 8 * rooms.length + nodes.length });
    expect(state.failedAttempts).toBeGreaterThan(failedBefore);
    expect(await gateway.queues.deletion.count()).toBeGreaterThanOrEqual(rooms.length);

    await gateway.runTimer("collectGarbage");
    expect(await gateway.queues.deletion.count()).toBe(0);
    expect(platform.rooms().map(({ name }) => name)).toEqual(["unrelated-room"]);
    const { byRoute } = platform.requests();
    expect(byRoute["DELETE /api/admin/configuration/v1/conference/{id}/"]).toBe(rooms.length);
  },
  longTestMilliseconds,
);
