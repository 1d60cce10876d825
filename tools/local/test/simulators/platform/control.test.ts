/** The control API over HTTP: the same functions, for a simulator in another process. */
import { expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../../../test/support/management-client.ts";
import { usePlatform } from "../../../../../test/support/use-platform.ts";
import { useStarted } from "../../../../../test/support/use-started.ts";
import { startLoopbackServer } from "../../../simulators/loopback-server.ts";

const platform = usePlatform();
const sink = useStarted(async () => startLoopbackServer(() => ({ status: 204 })));
const call = managementClient(platform);

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
const state = async () => (await control("GET", "state")).json;

test("The control API seeds rooms by count, by rows and with mixed rows, and lists them", async () => {
  const seed = { count: 2, namePrefix: "pool-", fields: { tag: "t" }, rows: [{ name: "own" }], mixed: true };
  const seeded = await control("POST", "rooms", seed);
  expect(seeded.json).toMatchObject({ ids: [1, 2, 3, 4, 5, 6, 7, 8, 9] });

  const rooms = platform.rooms().map(({ name }) => name);
  const some = ["Test call", "Reception", "pool-00000", "pool-00001", "own"];
  expect(rooms).toEqual(expect.arrayContaining(some));
  expect((await control("GET", "rooms")).json).toHaveLength(9);
  expect((await control("POST", "rooms", { rows: [{ name: "own" }] })).status).toBe(400);
});

test("The control API adds and clears faults, and stays reachable while the platform goes down and up", async () => {
  expect((await control("POST", "faults", { kind: "status", status: 502 })).json).toEqual({ id: 1 });
  expect((await call("GET", conferencePath)).status).toBe(502);
  expect((await control("DELETE", "faults")).status).toBe(204);

  expect((await control("POST", "down", { mode: "refuse" })).status).toBe(204);
  await expect(call("GET", conferencePath)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
  expect((await control("POST", "up")).status).toBe(204);
  expect((await call("GET", conferencePath)).status).toBe(200);
});

test("The control API starts and ends conferences, raises and clears alarms, and advances the clock", async () => {
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

test("The control API configures and shows the sink, without its password", async () => {
  await control("POST", "sink", { url: sink.url, username: "u", password: "never-shown" });
  platform.startConference({ name: "a" });
  await platform.sinkIdle();

  const { json } = await control("GET", "sink");
  expect(json).toMatchObject({ url: sink.url, delivered: 2, nodes: [{ node: "10.0.0.21" }] });
  expect(JSON.stringify(json)).not.toContain("never-shown");
});

test("The control API lets participants join and leave, and ends the conference on a node when nobody is left there", async () => {
  platform.seedRooms({ rows: [{ name: "a" }] });
  const join = async (name: string, participant: string, node: string) =>
    (await control("POST", "conferences/join", { name, participant, node })).status;
  const leave = async (participant: string) =>
    (await control("POST", "conferences/leave", { name: "a", participant })).status;
  expect(await join("b", "Citizen", "10.0.0.21")).toBe(404);
  expect(await join("a", "Citizen", "10.0.0.21")).toBe(200);
  expect(await join("a", "Agent", "10.0.0.22")).toBe(200);
  const participants = [
    { name: "Citizen", node: "10.0.0.21" },
    { name: "Agent", node: "10.0.0.22" },
  ];
  const conferences = [{ name: "a", nodes: ["10.0.0.21", "10.0.0.22"], participants }];
  expect(await state()).toMatchObject({ conferences });

  expect(await leave("Agent")).toBe(204);
  const left = [{ name: "a", nodes: ["10.0.0.21"], participants: [participants[0]] }];
  expect(await state()).toMatchObject({ conferences: left });
  expect(await leave("Agent")).toBe(404);
  expect(await leave("Citizen")).toBe(204);
  expect(await state()).toMatchObject({ conferences: [] });
});

test("The control API shows the switches that are on, and resets them with the rooms", async () => {
  const off = { down: null, faults: [], latencies: [], alarms: [], conferences: [] };
  expect(await state()).toMatchObject({ ...off, clockOffsetSeconds: 0 });
  await control("POST", "down", { mode: "503" });
  await control("POST", "faults", { kind: "reset", count: 3 });
  await control("POST", "latency", { milliseconds: 60_000 });
  await control("POST", "clock", { advanceSeconds: 90 });
  await control("POST", "alarms", { name: "connectivity_lost" });
  platform.startConference({ name: "a" });
  platform.seedRooms({ count: 3 });
  expect(await state()).toMatchObject({
    down: "503",
    faults: [{ id: 1, kind: "reset", count: 3 }],
    latencies: [{ milliseconds: 60_000 }],
    clockOffsetSeconds: 90,
    alarms: [{ name: "connectivity_lost" }],
    conferences: [{ name: "a" }],
  });

  await control("POST", "reset");
  expect(await state()).toMatchObject(off);
  expect((await call("GET", conferencePath)).json.objects).toEqual([]);
  expect(platform.seedRooms({ count: 1 })).toEqual([4]);
});

test("The control API changes one behaviour and keeps the others, and a reset restores all", async () => {
  await control("POST", "behaviour", { patchReturnsObject: true });
  await control("POST", "behaviour", { requestLimitPerMinute: 1 });
  platform.seedRooms({ count: 1 });
  expect((await call("PATCH", `${conferencePath}1/`, {})).text).not.toBe("");
  expect((await call("GET", conferencePath)).status).toBe(429);

  await control("POST", "reset");
  expect((await call("GET", conferencePath)).status).toBe(200);
  expect((await control("GET", "requests")).json).toMatchObject({ total: 1 });
});

test.each([
  ["latency", { milliseconds: -1 }],
  ["latency", { milliseconds: 1, unknown: true }],
  ["faults", { kind: "explosion" }],
  ["faults", { kind: "reset", pathPattern: "(" }],
  ["sink", { username: "u" }],
])("The control API returns 400 with the reason for invalid input for %s: %j", async (path, body) => {
  expect(await control("POST", path, body)).toEqual({ status: 400, json: { error: expect.any(String) } });
});

test("The control API returns 404 for an unknown control", async () => {
  expect((await control("POST", "explode")).status).toBe(404);
});
