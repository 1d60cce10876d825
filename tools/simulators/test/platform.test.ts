/** The platform keeps the facts on which the gateway depends, in memory and behind the simulator's sockets. */
import { describe, expect, onTestFinished, test } from "vitest";
import { createTransport } from "../../../src/lib/platform/transport.ts";
import {
  conferencePath as path,
  platformCredentials,
  usePlatform,
} from "../../../test/support/use-platform.ts";
import { createMemoryPlatform } from "../platform/memory-platform.ts";
import { startLoopbackServer } from "../services/loopback-server.ts";

const now = () => Date.UTC(2026, 3, 1, 15, 58, 6, 714);
const simulator = usePlatform(now);
const authorization = await platformCredentials.authorization();

type Method = "GET" | "POST" | "PATCH" | "DELETE";

describe.each(["in memory", "behind sockets"])("The platform %s", (where) => {
  function start() {
    const memory = createMemoryPlatform(now);
    const [platform, transport] =
      where === "in memory" ? [memory, memory.transport] : [simulator, createTransport(simulator.url, 20)];
    const send = async (request: string, body?: Record<string, unknown>, timeoutSeconds = 20) => {
      const [method = "", target = path] = request.split(" ");
      return transport({ method: method as Method, path: target, body, timeoutSeconds }, authorization);
    };
    return { platform, send };
  }

  test("creates a room with a bare path in Location, and shows it with defaults and embedded relations", async () => {
    const { send } = start();
    const theme = "/api/admin/configuration/v1/ivr_theme/1/";
    const fields = { name: "room é", pin: "482913", tag: "https://example.com/?a=1&b" };
    const created = await send("POST", {
      ...fields,
      ivr_theme: `https://platform.example.com${theme}`,
      automatic_participants: ["/api/admin/configuration/v1/automatic_participant/1/"],
      aliases: [{ alias: "room é", description: "d" }],
    });
    expect(created).toMatchObject({ status: 201, headers: { location: `${path}1/` }, body: "" });
    const creation_time = "2026-04-01T15:58:06.714000";
    expect((await send(`GET ${path}1/`)).body).toMatchObject({
      ...fields,
      id: 1,
      resource_uri: `${path}1/`,
      creation_time,
      crypto_mode: "",
      participant_limit: null,
      ivr_theme: { id: 1, name: "Standard", resource_uri: theme },
      automatic_participants: [{ id: 1, protocol: "sip" }],
      aliases: [{ id: 1, alias: "room é", conference: `${path}1/`, description: "d", creation_time }],
    });
  });

  test("changes only the given fields, and frees the name and alias of a room that is renamed or deleted", async () => {
    const { send } = start();
    await send("POST", { name: "a", description: "kept", aliases: [{ alias: "a" }] });
    expect(await send(`PATCH ${path}1/`, { name: "b", tag: "after" })).toMatchObject({
      status: 202,
      body: "",
    });
    const changed = { name: "b", tag: "after", description: "kept", aliases: [{ alias: "a" }] };
    expect((await send(`GET ${path}1/`)).body).toMatchObject(changed);
    expect((await send("POST", { name: "a" })).status).toBe(201);
    expect((await send(`DELETE ${path}1/`)).status).toBe(204);
    expect((await send("POST", { name: "b", aliases: [{ alias: "a" }] })).status).toBe(201);
    for (const method of ["GET", "PATCH", "DELETE"])
      expect(await send(`${method} ${path}1/`, { tag: "" })).toMatchObject({ status: 404, body: "" });
  });

  const twoPins = { pin: "123456", allow_guests: true };
  test.each([
    { what: "an unknown choice", fields: { service_type: "party" }, named: "conference.service_type" },
    { what: "a number out of range", fields: { max_callrate_in: 64 }, named: "conference.max_callrate_in" },
    { what: "equal PINs", fields: { ...twoPins, guest_pin: "123456" }, named: "conference.__all__" },
    {
      what: "PINs of unequal lengths",
      fields: { ...twoPins, guest_pin: "7654321" },
      named: "conference.__all__",
    },
    { what: "a written id", fields: { id: 7 }, named: "error" },
  ])("refuses a room with $what, and names the field", async ({ fields, named }) => {
    const { platform, send } = start();
    const { status, body } = await send("POST", { name: "a", ...fields });
    expect(status).toBe(400);
    expect(body).toHaveProperty(named);
    expect(platform.roomCount()).toBe(0);
  });

  test("refuses to wipe a list, a path without slash, and a change of a status, and counts the calls", async () => {
    const { platform, send } = start();
    platform.seedRooms({ count: 3 });
    expect((await send("DELETE")).status).toBe(403);
    expect(platform.roomCount()).toBe(3);
    const location = `${path}?name=a`;
    const redirect = { status: 301, headers: { location } };
    expect(await send(`GET ${location.replace("/?", "?")}`)).toMatchObject(redirect);
    expect((await send("POST /api/admin/status/v1/conference/", {})).status).toBe(405);
    await send(`GET ${path}1/`);
    expect(platform.requests()).toMatchObject({ total: 4, byRoute: { [`GET ${path}{id}/`]: 1 } });
  });

  test("lists rooms by name, in pages of which even a full last one has no next page, and live conferences and alarms", async () => {
    const { platform, send } = start();
    platform.seedRooms({ count: 3 });
    platform.setBehaviour({ maxPageSize: 2 });
    const list = async (target: string) => (await send(`GET ${target}`)).body;
    const one = { name: "room-00000" };
    const two = { name: "room-00001" };
    const three = { name: "room-00002" };
    const next = `${path}?order_by=name&limit=2&offset=2`;
    const meta = { limit: 2, total_count: 3, previous: null };
    expect(await list(`${path}?order_by=name`)).toMatchObject({
      meta: { ...meta, next },
      objects: [one, two],
    });
    expect(await list(next)).toMatchObject({ meta: { offset: 2, next: null }, objects: [three] });
    const full = { meta: { offset: 1, next: null }, objects: [two, three] };
    expect(await list(`${path}?order_by=name&limit=2&offset=1`)).toMatchObject(full);
    expect(await list(`${path}?name=room-00001`)).toMatchObject({ objects: [two] });
    expect(await list(`${path}?name=ROOM-00001`)).toMatchObject({ objects: [] });
    for (const query of ["tag=x", "order_by=id", "limit=-1", "offset=ten"])
      expect((await send(`GET ${path}?${query}`)).status).toBe(400);
    platform.startConference({ name: "room-00001" });
    platform.raiseAlarm({ name: "licenses_exhausted" });
    expect(await list("/api/admin/status/v1/conference/")).toMatchObject({ objects: [two] });
    expect(await list("/api/admin/status/v1/alarm/")).toMatchObject({
      objects: [{ name: "licenses_exhausted", level: "warning" }],
    });
  });

  const reset = { outcome: "unknown", code: "platform-unavailable" };
  const silence = { outcome: "unknown", code: "platform-timeout" };
  const page = { status: 500, body: expect.stringContaining("<h1>") };
  const throttled = { status: 429, headers: { "retry-after": "7" } };
  test.each([
    { what: "closes the connection", fault: { kind: "reset" }, failure: reset },
    { what: "does not respond", fault: { kind: "timeout" }, failure: silence },
    { what: "returns a page with an error", fault: { kind: "html500" }, failure: page },
    { what: "refuses", fault: { status: 429, retryAfterSeconds: 7 }, failure: throttled },
  ] as const)("$what before or after one change, if told to", async ({ fault, failure }) => {
    const { send, platform } = start();
    for (const when of ["before", "after"] as const) {
      platform.addFault({ ...fault, when, count: 1, method: "POST", pathPattern: "/conference/$" });
      expect((await send("GET")).status).toBe(200);
      const timeoutSeconds = "kind" in fault && fault.kind === "timeout" ? 0.5 : 20;
      const outcome = send("POST", { name: when }, timeoutSeconds).catch((error: unknown) => error);
      expect(await outcome).toMatchObject(failure);
    }
    expect(platform.rooms()).toMatchObject([{ name: "after" }]);
    expect((await send("POST", { name: "later" })).status).toBe(201);
  });

  test.each([
    { mode: "refuse", failure: { outcome: "not-sent" } },
    { mode: "reset", failure: { outcome: "unknown" } },
    { mode: "503", failure: { status: 503, body: "" } },
  ] as const)("is down and back after an outage of kind $mode", async ({ mode, failure }) => {
    const { send, platform } = start();
    await platform.goDown(mode);
    expect(await send("GET").catch((error: unknown) => error)).toMatchObject(failure);
    await platform.goUp();
    expect((await send("GET")).status).toBe(200);
  });
});

test("Wrong credentials get 401, and a body that is not declared as JSON gets 400", async () => {
  const refused = await createTransport(simulator.url, 20)({ method: "GET", path }, "Bearer nonsense");
  const realm = { "www-authenticate": expect.stringMatching(/^Basic realm=/) };
  expect(refused).toMatchObject({ status: 401, headers: realm });
  const undeclared = { method: "POST", headers: { authorization }, body: new TextEncoder().encode("{}") };
  expect((await fetch(simulator.url + path, undeclared)).status).toBe(400);
});

test("The events of a node are posted in order, each again until it is accepted", async () => {
  const events: unknown[] = [];
  const sink = await startLoopbackServer(({ body }) => {
    events.push(JSON.parse(body.toString()).event);
    // A redirect is no acceptance.
    return { status: events.length === 1 ? 302 : 204 };
  });
  onTestFinished(sink.stop);
  simulator.configureSink({ url: sink.url });
  simulator.startConference({ name: "a" });
  await simulator.sinkIdle();
  expect(events).toEqual(["eventsink_started", "eventsink_started", "conference_started"]);
});
