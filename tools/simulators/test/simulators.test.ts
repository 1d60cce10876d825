/** The simulators keep the facts of the platform and the other services on which the gateway depends. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../test/support/management-client.ts";
import { usePlatform } from "../../../test/support/use-platform.ts";
import { useStarted, useStartedPerTest } from "../../../test/support/use-started.ts";
import { startLogWorkspace } from "../log-workspace.ts";
import { type Answer, startLoopbackServer } from "../loopback-server.ts";

const platform = usePlatform({ now: () => Date.UTC(2026, 3, 1, 15, 58, 6, 714) });
const call = managementClient(platform);
const create = async (body: Record<string, unknown>) => call("POST", conferencePath, body);

describe("Rooms", () => {
  test("are created with a bare path in Location, and shown with defaults and embedded relations", async () => {
    const theme = "/api/admin/configuration/v1/ivr_theme/1/";
    const created = await create({
      name: "pool-017",
      pin: "482913",
      guest_pin: "771204",
      allow_guests: true,
      ivr_theme: `https://platform.example.com${theme}`,
      automatic_participants: ["/api/admin/configuration/v1/automatic_participant/1/"],
      aliases: [{ alias: "pool-017", description: "d" }],
    });
    expect([created.status, created.text]).toEqual([201, ""]);
    const path = created.headers.get("location") ?? "";
    expect(path).toBe(`${conferencePath}1/`);
    const { json } = await call("GET", path);
    const creation_time = "2026-04-01T15:58:06.714000";
    expect(json).toMatchObject({
      id: 1,
      resource_uri: path,
      creation_time,
      pin: "482913",
      crypto_mode: "",
      participant_limit: null,
      ivr_theme: { id: 1, name: "Standard", resource_uri: theme },
      automatic_participants: [{ id: 1, protocol: "sip" }],
    });
    expect(json["aliases"]).toEqual([
      { id: 1, alias: "pool-017", conference: path, description: "d", creation_time },
    ]);
  });

  test("change only in the given fields, and free their names and aliases if they are renamed or deleted", async () => {
    await create({ name: "a", description: "kept", aliases: [{ alias: "a" }] });
    const path = `${conferencePath}1/`;
    const patched = await call("PATCH", path, { name: "b", tag: "after" });
    expect([patched.status, patched.text]).toEqual([202, ""]);
    expect((await call("GET", path)).json).toMatchObject({ name: "b", tag: "after", description: "kept" });
    expect((await create({ name: "A" })).status).toBe(201);
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await create({ name: "B", aliases: [{ alias: "A" }] })).status).toBe(201);
    for (const method of ["GET", "DELETE"]) {
      const unknown = await call(method, path);
      expect([unknown.status, unknown.text]).toEqual([404, ""]);
    }
  });

  const inConference = { conference: expect.anything() };
  test.each([
    ["a taken name", { name: "POOL-017" }, { conference: { name: [expect.stringMatching(/exists/)] } }],
    ["no name", {}, { conference: { name: ["This field is required."] } }],
    ["a long tag", { tag: "x".repeat(251) }, { conference: { tag: [expect.any(String)] } }],
    ["an unknown choice", { service_type: "party" }, inConference],
    ["a number out of range", { max_callrate_in: 64 }, inConference],
    ["guests without host PIN", { allow_guests: true }, { conference: { __all__: expect.anything() } }],
    ["a short PIN", { pin: "12345" }, { conference: { pin: expect.anything() } }],
    ["equal PINs", { pin: "123456", guest_pin: "123456", allow_guests: true }, inConference],
    ["PINs of unequal lengths", { pin: "123456", guest_pin: "7654321", allow_guests: true }, inConference],
    [
      "a theme that does not exist",
      { ivr_theme: "/api/admin/configuration/v1/ivr_theme/9/" },
      { error: expect.any(String) },
    ],
    ["a written id", { id: 7 }, { error: expect.any(String) }],
    ["a taken alias", { aliases: [{ alias: "TAKEN" }] }, { conference_alias: expect.anything() }],
  ])("are refused with %s", async (what, fields, errors) => {
    platform.seedRooms({ rows: [{ name: "pool-017", aliases: [{ alias: "taken" }] }] });
    const refused = await create(what === "no name" ? fields : { name: "a", ...fields });
    expect([refused.status, refused.json]).toEqual([400, errors]);
    expect(platform.roomCount()).toBe(1);
  });

  test("beyond the licence are refused with the platform's text, other services are not", async () => {
    platform.setBehaviour({ roomLimit: 0 });
    const text = expect.stringContaining("maximum number of Virtual Meeting Rooms (0)");
    expect((await create({ name: "a" })).json).toEqual({ conference: { __all__: [text] } });
    expect((await create({ name: "t", service_type: "test_call" })).status).toBe(201);
  });

  test("are never deleted or replaced by DELETE or PUT on the list, which is counted", async () => {
    platform.seedRooms({ count: 1 });
    expect((await call("DELETE", conferencePath)).status).toBe(403);
    expect((await call("PUT", conferencePath, { objects: [] })).status).toBe(403);
    expect(platform.requests().listWipeAttempts).toBe(2);
    expect(platform.roomCount()).toBe(1);
  });
});

test("Lists have pages that link by relative paths and cover every row in the order of names", async () => {
  // The last page is full.
  platform.seedRooms({ count: 40 });
  const seen: string[] = [];
  const pages: (string | null)[] = [`${conferencePath}?order_by=name`];
  for (let page = pages[0]; page; page = pages.at(-1)) {
    const { json } = await call("GET", page);
    expect(json.meta).toMatchObject({ limit: 20, total_count: 40 });
    seen.push(...json.objects.map(({ name }) => name));
    pages.push(json.meta.next);
  }
  expect([pages.length, new Set(seen).size]).toEqual([3, 40]);
  expect(seen).toEqual(seen.toSorted());
  platform.setBehaviour({ maxPageSize: 10 });
  const { json } = await call("GET", `${conferencePath}?limit=5000&offset=5`);
  expect(json.meta).toMatchObject({ limit: 10, offset: 5, previous: null });
  expect((await call("GET", `${conferencePath}?name=room-00003`)).json.objects).toHaveLength(1);
  expect((await call("GET", `${conferencePath}?name=ROOM-00003`)).json.objects).toEqual([]);
  for (const query of ["tag=x", "order_by=id", "limit=-1", "offset=ten"])
    expect((await call("GET", `${conferencePath}?${query}`)).status).toBe(400);
});

test("Wrong credentials get 401, a path without slash 301, a changed status 405, an undeclared body 400", async () => {
  const refused = await managementClient(platform, "Bearer nonsense")("GET", conferencePath);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringMatching(/^Basic realm=/),
  ]);
  const redirected = await call("GET", `${conferencePath.slice(0, -1)}?name=a`);
  expect([redirected.status, redirected.headers.get("location")]).toEqual([301, `${conferencePath}?name=a`]);
  expect((await call("POST", "/api/admin/status/v1/conference/", {})).status).toBe(405);
  const authorization = `Basic ${Buffer.from("api-user:api-password").toString("base64")}`;
  const undeclared = { method: "POST", headers: { authorization }, body: new TextEncoder().encode("{}") };
  expect((await fetch(platform.url + conferencePath, undeclared)).status).toBe(400);
});

test("The platform limits the requests per minute, and counts them by route", async () => {
  platform.setBehaviour({ requestLimitPerMinute: 1 });
  expect((await call("GET", `${conferencePath}1/`)).status).toBe(404);
  const limited = await call("GET", conferencePath);
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(platform.requests()).toMatchObject({
    total: 2,
    byRoute: { [`GET ${conferencePath}{id}/`]: 1 },
  });
});

describe("Events", () => {
  interface ReceivedEvent {
    readonly node: string;
    readonly seq: number;
    readonly event: string;
    readonly at: number;
  }
  const [nodeA, nodeB] = ["10.0.0.21", "10.0.0.22"];
  /** Bodies in the order in which they came, failed attempts included. */
  let received: ReceivedEvent[];
  let failures: Answer[];
  const sink = useStartedPerTest(async () => {
    [received, failures] = [[], []];
    return startLoopbackServer(({ body }) => {
      const event: ReceivedEvent = JSON.parse(body.toString("utf8"));
      received.push({ ...event, at: performance.now() });
      return (event.node === nodeA && failures.shift()) || { status: 204 };
    });
  });
  const sequence = (node: string) =>
    received.flatMap((event) => (event.node === node ? [[event.seq, event.event]] : []));

  test("come from each node in order, and again until the sink has taken them", async () => {
    platform.configureSink({ url: sink.url, initialBackoffSeconds: 0.001 });
    failures = [{ status: 503 }, { status: 302, headers: { location: "/elsewhere" } }, "reset"];
    platform.seedRooms({ rows: [{ name: "a", tag: "t" }] });
    platform.startConference({ name: "a", nodes: [nodeA, nodeB] });
    platform.endConference({ name: "a" });
    await platform.sinkIdle();
    const [begun, started, ended] = ["eventsink_started", "conference_started", "conference_ended"];
    const first = [1, begun];
    expect(sequence(nodeA)).toEqual([first, first, first, first, [2, started], [3, ended]]);
    expect(sequence(nodeB)).toEqual([first, [2, started], [3, ended]]);
    expect(received.at(-1)).toMatchObject({ version: 2, data: { name: "a", tag: "t", is_started: false } });
    expect(platform.sinkState()).toMatchObject({ queued: 0, delivered: 6, failedAttempts: 3 });
  });

  test("come again after the first wait once an event has been taken, however long the last wait was", async () => {
    platform.configureSink({ url: sink.url, initialBackoffSeconds: 0.01 });
    failures = Array.from({ length: 7 }, () => ({ status: 503 }));
    failures.push({ status: 204 }, { status: 503 });
    platform.seedRooms({ rows: [{ name: "a" }] });
    platform.startConference({ name: "a", nodes: [nodeA] });
    await platform.sinkIdle();
    const [failedAt = 0, takenAt = 0] = received.filter(({ seq }) => seq === 2).map(({ at }) => at);
    expect(takenAt - failedAt).toBeGreaterThan(0);
    expect(takenAt - failedAt).toBeLessThan(1000);
  });
});

describe("The log workspace", () => {
  const workspace = useStarted(startLogWorkspace);

  test("takes arrays of rows, gzipped or not, if the API version is named", async () => {
    const path = `${workspace.url}/dataCollectionRules/dcr-1/streams/Custom-Metrics`;
    const send = async (query: string, body: string | Uint8Array<ArrayBuffer>, headers = {}) =>
      (await fetch(path + query, { method: "POST", body, headers })).status;
    const gzip = { "content-encoding": "gzip" };
    expect(await send("?api-version=1", "[{}]")).toBe(204);
    expect(await send("?api%2Dversion=1", new Uint8Array(gzipSync("[{}]")), gzip)).toBe(204);
    expect(await send("", "[{}]")).toBe(400);
    expect(await send("?api-version=1", "{}")).toBe(400);
    expect(await send("?api-version=1", "[{}]", gzip)).toBe(400);
    expect(workspace.rows()).toHaveLength(2);
  });
});
