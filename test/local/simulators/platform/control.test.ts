/** The control API over HTTP: the same functions, for a simulator in another process. */
import { expect, test } from "vitest";
import { type EventReceiver, startEventReceiver } from "../../../support/event-receiver.ts";
import { conferencePath, managementClient } from "../../../support/management-client.ts";
import { usePlatform } from "../../../support/use-platform.ts";

const platform = usePlatform();

async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: unknown }> {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const response = await fetch(`${platform.controlUrl}/control/${path}`, init);
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
}

test("The control API seeds rooms by count, by rows and with mixed rows, and lists them", async () => {
  const seeded = await control("POST", "rooms", {
    count: 2,
    namePrefix: "pool-",
    fields: { tag: "t" },
    rows: [{ name: "own" }],
    mixed: true,
  });
  expect(seeded.json).toMatchObject({ ids: [1, 2, 3, 4, 5, 6, 7, 8, 9] });

  const rooms = platform.rooms().map(({ name }) => name);
  expect(rooms).toEqual(
    expect.arrayContaining(["Test call", "Reception", "pool-00000", "pool-00001", "own"]),
  );
  expect((await control("GET", "rooms")).json).toHaveLength(9);
  expect((await control("POST", "rooms", { rows: [{ name: "own" }] })).status).toBe(400);
});

test("The control API adds, counts down and clears faults", async () => {
  const call = managementClient(platform);
  expect((await control("POST", "faults", { kind: "status", status: 502 })).json).toEqual({ id: 1 });
  expect((await call("GET", conferencePath)).status).toBe(502);

  expect((await control("DELETE", "faults")).status).toBe(204);
  expect((await call("GET", conferencePath)).status).toBe(200);
});

test("The control API stays reachable while the platform goes down and up", async () => {
  const call = managementClient(platform);
  expect((await control("POST", "down", { mode: "refuse" })).status).toBe(204);
  await expect(call("GET", conferencePath)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });

  expect((await control("POST", "up")).status).toBe(204);
  expect((await call("GET", conferencePath)).status).toBe(200);
});

test("The control API starts and ends conferences, raises and clears alarms, and advances the clock", async () => {
  const call = managementClient(platform);
  expect((await control("POST", "conferences/start", { name: "a", nodes: ["10.0.0.21"] })).status).toBe(200);
  expect((await call("GET", "/api/admin/status/v1/conference/?name=a")).json.meta.total_count).toBe(1);
  expect((await control("POST", "conferences/end", { name: "a" })).status).toBe(204);
  expect((await control("POST", "conferences/end", { name: "a" })).status).toBe(404);

  await control("POST", "alarms", { name: "connectivity_lost" });
  expect((await call("GET", "/api/admin/status/v1/alarm/")).json.meta.total_count).toBe(1);
  await control("DELETE", "alarms?name=connectivity_lost");
  expect((await call("GET", "/api/admin/status/v1/alarm/")).json.meta.total_count).toBe(0);

  await control("POST", "behaviour", { replicationSeconds: 90 });
  platform.seedRooms({ count: 1 });
  expect((await control("GET", "rooms")).json).toMatchObject([{ replicated: false }]);
  await control("POST", "clock", { advanceSeconds: 90 });
  expect((await control("GET", "rooms")).json).toMatchObject([{ replicated: true }]);
});

test("The control API configures, shows and restarts the sink, and emits any event", async () => {
  const receiver: EventReceiver = await startEventReceiver();
  try {
    await control("POST", "sink", { url: receiver.url, username: "u", password: "never-shown" });
    await control("POST", "events", { node: "10.0.0.9", event: "conference_ended", data: { name: "a" } });
    await platform.sinkIdle();
    await control("POST", "sink", { restart: true });
    await platform.sinkIdle();

    expect(receiver.received.map(({ seq, event }) => [seq, event])).toEqual([
      [1, "eventsink_started"],
      [2, "conference_ended"],
      [1, "eventsink_started"],
    ]);
    const state = await control("GET", "sink");
    expect(state.json).toMatchObject({ url: receiver.url, delivered: 3, nodes: [{ node: "10.0.0.9" }] });
    expect(JSON.stringify(state.json)).not.toContain("never-shown");
  } finally {
    await receiver.stop();
  }
});

test("The control API lets participants join and leave, and ends the conference on a node when nobody is left there", async () => {
  platform.seedRooms({ rows: [{ name: "a" }] });
  expect((await control("POST", "conferences/join", { name: "b", participant: "Citizen" })).status).toBe(404);
  await control("POST", "conferences/join", { name: "a", participant: "Citizen", node: "10.0.0.21" });
  await control("POST", "conferences/join", { name: "a", participant: "Agent", node: "10.0.0.22" });
  const participants = [
    { name: "Citizen", node: "10.0.0.21" },
    { name: "Agent", node: "10.0.0.22" },
  ];
  const conferences = [{ name: "a", nodes: ["10.0.0.21", "10.0.0.22"], participants }];
  expect((await control("GET", "state")).json).toMatchObject({ conferences });

  expect((await control("POST", "conferences/leave", { name: "a", participant: "Agent" })).status).toBe(204);
  const left = [{ name: "a", nodes: ["10.0.0.21"], participants: [participants[0]] }];
  expect((await control("GET", "state")).json).toMatchObject({ conferences: left });
  expect((await control("POST", "conferences/leave", { name: "a", participant: "Agent" })).status).toBe(404);
  await control("POST", "conferences/leave", { name: "a", participant: "Citizen" });
  expect((await control("GET", "state")).json).toMatchObject({ conferences: [] });
});

test("The control API shows the switches that are on", async () => {
  const off = { down: null, faults: [], latencies: [], clockOffsetSeconds: 0, alarms: [] };
  expect((await control("GET", "state")).json).toMatchObject(off);
  await control("POST", "down", { mode: "503" });
  await control("POST", "faults", { kind: "reset", count: 3 });
  await control("POST", "latency", { milliseconds: 20 });
  await control("POST", "clock", { advanceSeconds: 90 });
  await control("POST", "alarms", { name: "connectivity_lost" });
  expect((await control("GET", "state")).json).toMatchObject({
    down: "503",
    faults: [{ id: 1, kind: "reset", count: 3 }],
    latencies: [{ milliseconds: 20 }],
    clockOffsetSeconds: 90,
    alarms: [{ name: "connectivity_lost" }],
  });
});

test("Changing one behaviour keeps the others, and a reset restores all", async () => {
  const call = managementClient(platform);
  await control("POST", "behaviour", { patchReturnsObject: true });
  await control("POST", "behaviour", { maxPageSize: 7 });
  platform.seedRooms({ count: 1 });
  expect((await call("PATCH", `${conferencePath}1/`, {})).text).not.toBe("");

  await control("POST", "down", { mode: "503" });
  await control("POST", "reset");
  expect((await call("GET", `${conferencePath}?limit=50`)).json.meta).toMatchObject({
    limit: 50,
    total_count: 0,
  });
  expect((await control("GET", "requests")).json).toMatchObject({ total: 1 });
});

test("A reset removes rooms, faults, alarms, latency, limits and running conferences", async () => {
  const call = managementClient(platform);
  platform.setBehaviour({ requestLimitPerMinute: 1 });
  await call("GET", conferencePath);
  platform.seedRooms({ count: 3 });
  platform.startConference({ name: "a" });
  platform.raiseAlarm({ name: "connectivity_lost" });
  platform.addFault({ kind: "reset" });
  platform.setLatency({ milliseconds: 60_000 });
  await control("POST", "reset");
  platform.setBehaviour({ requestLimitPerMinute: 4 });

  for (const list of [
    "configuration/v1/conference",
    "configuration/v1/conference_alias",
    "status/v1/conference",
  ]) {
    expect((await call("GET", `/api/admin/${list}/`)).json.objects).toEqual([]);
  }
  expect((await call("GET", "/api/admin/status/v1/alarm/")).json.objects).toEqual([]);
  expect(platform.seedRooms({ count: 1 })).toEqual([4]);
});

test.each([
  ["latency", { milliseconds: -1 }],
  ["latency", { milliseconds: 1, unknown: true }],
  ["faults", { kind: "explosion" }],
  ["faults", { kind: "reset", pathPattern: "(" }],
  ["sink", { bulk: true }],
])("Invalid input for %s returns 400 with the reason: %j", async (path, body) => {
  expect(await control("POST", path, body)).toEqual({ status: 400, json: { error: expect.any(String) } });
});

test("An unknown control returns 404", async () => {
  expect((await control("POST", "explode")).status).toBe(404);
});
