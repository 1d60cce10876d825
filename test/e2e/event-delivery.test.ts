/**
 * Hundreds of events from four nodes while the app is killed and the gateway restarts: none is lost, and no room is
 * deleted twice.
 */
import { expect, test, vi } from "vitest";
import { identities } from "../../tools/simulators/identities.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const nodes = ["10.0.0.21", "10.0.0.22", "10.0.0.23", "10.0.0.24"];
// Each starts and ends on every node: eight events per room.
const rooms = Array.from({ length: 50 }, (_, index) => `room-${index}`);
const patience = { timeout: 300_000, interval: 5 };

const gateway = useRunningGateway(() => ({ GC_MINIMUM_AGE_SECONDS: "0", GC_MAX_MESSAGES: "250" }));

test("Events are all delivered, every name is queued, and every room is deleted once", async () => {
  const { platform } = gateway.stack;
  const { sinkUsername: username, sinkPassword: password } = identities;
  platform.configureSink({ url: `${gateway.url}/public/event_sink`, username, password });
  for (const name of rooms) gateway.addAssigned(name);
  gateway.addAssigned("unrelated-room");
  for (const name of rooms) platform.startConference({ name, nodes });
  for (const name of rooms) platform.endConference({ name });
  const events = platform.sinkState().queued;
  const untilDelivered = async (count: number) =>
    vi.waitFor(() => expect(platform.sinkState().queued).toBeLessThanOrEqual(events - count), patience);

  await untilDelivered(60);
  gateway.killApp();
  await untilDelivered(160);
  await gateway.restart();
  await platform.sinkIdle();
  expect(platform.sinkState().queued).toBe(0);
  expect(await gateway.queues.deletion.count()).toBeGreaterThanOrEqual(rooms.length);

  await gateway.runTimer("collectGarbage");
  expect(await gateway.queues.deletion.count()).toBe(0);
  expect(platform.rooms().map(({ name }) => name)).toEqual(["unrelated-room"]);
  const { byRoute } = platform.requests();
  expect(byRoute["DELETE /api/admin/configuration/v1/conference/{id}/"]).toBe(rooms.length);
});
