/** The life of a room over HTTP (specification 3), and the lines that the log has about it. */
import { expect, test } from "vitest";
import { identities } from "../../tools/simulators/identities.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const gateway = useRunningGateway({ settings: () => ({ GC_MINIMUM_AGE_SECONDS: "0" }) });

/** Returns what the app logged about a room. */
function linesAbout(room: string): Record<string, unknown>[] {
  return gateway.log
    .filter(({ category, message }) => category.endsWith(".User") && message.startsWith("{"))
    .map(({ message }): Record<string, unknown> => JSON.parse(message))
    .filter((entry) => entry["room"] === room);
}
const correlated = (id: string) => ({ headers: { "x-correlation-id": id } });

test("The app asks for the signing keys when it starts, before any call", async () => {
  await expect.poll(() => gateway.stack.issuer.fetchCounts()).toMatchObject({ metadata: 2, keys: 2 });
});

test("A room passes through its whole life, from provisioning to replacement, and the log tells it", async () => {
  const { platform } = gateway.stack;
  const { sinkUsername: username, sinkPassword: password, clientId: caller } = identities;
  platform.configureSink({ url: `${gateway.url}/public/event_sink`, username, password });
  await gateway.fillPool(2);
  const created = await gateway.sendAsApplication("POST /room/create", correlated("order-1"));
  const { name } = created.json as { name: string };
  const json = { participant_limit: 4 };
  await gateway.sendAsApplication(`PATCH /room/${name}`, { ...correlated("change-2"), json });
  const headers = { "x-auth-token": identities.agentToken };
  const { json: shown } = await gateway.send(`GET /public/room/${name}`, { headers });
  expect(shown).toMatchObject({ name, aliases: [{ alias: name }] });

  platform.startConference({ name, participants: 2 });
  platform.endConference({ name });
  await platform.sinkIdle();
  expect(await gateway.queues.deletion.count()).toBe(1);
  expect(gateway.room(name)).toMatchObject(json);
  await gateway.runTimer("collectGarbage");
  expect(gateway.room(name)).toBeUndefined();
  expect(await gateway.queues.deletion.count()).toBe(0);
  expect(await gateway.sendAsApplication(`GET /room/${name}`)).toMatchObject({ status: 404 });
  expect(await gateway.settled()).toBe(2);

  const invocation = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(linesAbout(name)).toMatchObject([
    { event: "room-provisioned", caller: "queue", correlationId: invocation, function: "provisionRoom" },
    { event: "room-claimed", caller, correlationId: "order-1", function: "createRoomFromQueue" },
    { event: "room-updated", caller, correlationId: "change-2", function: "updateRoom" },
    { event: "room-queued-for-deletion", caller: "event-sink", correlationId: invocation },
    { event: "room-deleted", caller: "timer", correlationId: invocation, function: "collectGarbage" },
  ]);
});
