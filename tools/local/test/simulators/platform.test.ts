/** The facts of the platform that its simulator keeps, because the gateway depends on them. */
import { describe, expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../../test/support/management-client.ts";
import { usePlatform } from "../../../../test/support/use-platform.ts";

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

  test("change only in the given fields, and free their names and aliases when renamed or deleted", async () => {
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

  test.each([
    [
      "a taken name",
      { name: "POOL-017" },
      { conference: { name: [expect.stringMatching(/already exists/)] } },
    ],
    ["no name", {}, { conference: { name: ["This field is required."] } }],
    ["a long tag", { name: "a", tag: "x".repeat(251) }, { conference: { tag: [expect.any(String)] } }],
    ["an unknown choice", { name: "a", service_type: "party" }, { conference: expect.anything() }],
    ["a number out of range", { name: "a", max_callrate_in: 64 }, { conference: expect.anything() }],
    [
      "guests without host PIN",
      { name: "a", allow_guests: true },
      { conference: { __all__: expect.anything() } },
    ],
    ["a short PIN", { name: "a", pin: "12345" }, { conference: { pin: expect.anything() } }],
    ["a theme that does not exist", { name: "a", ivr_theme: { id: 9 } }, { error: expect.any(String) }],
    ["a written id", { name: "a", id: 7 }, { error: expect.any(String) }],
    ["a taken alias", { name: "a", aliases: [{ alias: "TAKEN" }] }, { conference_alias: expect.anything() }],
    [
      "an alias twice",
      { name: "a", aliases: [{ alias: "x" }, { alias: "X" }] },
      { conference_alias: expect.anything() },
    ],
  ])("are refused with %s", async (_, body, errors) => {
    platform.seedRooms({ rows: [{ name: "pool-017", aliases: [{ alias: "taken" }] }] });
    const refused = await create(body);
    expect([refused.status, refused.json]).toEqual([400, errors]);
    expect(platform.roomCount()).toBe(1);
  });

  test.each([
    ["guest PIN without guests", { pin: "123456", guest_pin: "654321" }, 400],
    ["equal PINs", { pin: "123456", guest_pin: "123456", allow_guests: true }, 400],
    ["unequal lengths", { pin: "123456", guest_pin: "7654321", allow_guests: true }, 400],
    ["only one ends in #", { pin: "12345678#", guest_pin: "765432", allow_guests: true }, 400],
    ["host PIN only", { pin: "123456", allow_guests: true }, 201],
    ["both end in #", { pin: "123456#", guest_pin: "765432100#", allow_guests: true }, 201],
  ])("%s: %j gets %i", async (_, pins, status) => {
    expect((await create({ name: "a", ...pins })).status).toBe(status);
  });

  test("beyond the licence are refused with the platform's text, other services are not", async () => {
    platform.setBehaviour({ roomLimit: 0 });
    const text = expect.stringContaining("maximum number of Virtual Meeting Rooms (0)");
    expect((await create({ name: "a" })).json).toEqual({ conference: { __all__: [text] } });
    expect((await create({ name: "t", service_type: "test_call" })).status).toBe(201);
  });

  test("are not changed by a body that is not a JSON object or not declared as JSON", async () => {
    for (const body of ["{", "[]"])
      expect((await call("POST", conferencePath, body)).json).toEqual({ error: expect.any(String) });
    const authorization = `Basic ${Buffer.from("api-user:api-password").toString("base64")}`;
    const undeclared = new TextEncoder().encode('{"name":"a"}');
    const init = { method: "POST", headers: { authorization }, body: undeclared };
    expect((await fetch(platform.url + conferencePath, init)).status).toBe(400);
    expect(platform.roomCount()).toBe(0);
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
  platform.seedRooms({ count: 45 });
  const seen: string[] = [];
  let next: string | null = `${conferencePath}?order_by=name`;
  while (next !== null) {
    const { json }: Awaited<ReturnType<typeof call>> = await call("GET", next);
    expect(json.meta).toMatchObject({ limit: 20, total_count: 45 });
    seen.push(...json.objects.map(({ name }) => name));
    ({ next } = json.meta);
  }
  expect(new Set(seen).size).toBe(45);
  expect(seen).toEqual(seen.toSorted());
  platform.setBehaviour({ maxPageSize: 10 });
  const { json } = await call("GET", `${conferencePath}?limit=5000&offset=5`);
  expect(json.meta).toMatchObject({ limit: 10, offset: 5, previous: null });
  expect((await call("GET", `${conferencePath}?name=room-00003`)).json.objects).toHaveLength(1);
  expect((await call("GET", `${conferencePath}?name=ROOM-00003`)).json.objects).toEqual([]);
  for (const query of ["tag=x", "order_by=id", "limit=-1", "offset=ten"])
    expect((await call("GET", `${conferencePath}?${query}`)).status).toBe(400);
});

test("Wrong credentials get 401, a path without slash 301, a changed status 405", async () => {
  const refused = await managementClient(platform, "Bearer nonsense")("GET", conferencePath);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringMatching(/^Basic realm=/),
  ]);
  const redirected = await call("GET", `${conferencePath.slice(0, -1)}?name=a`);
  expect([redirected.status, redirected.headers.get("location")]).toEqual([301, `${conferencePath}?name=a`]);
  expect((await call("POST", "/api/admin/status/v1/conference/", {})).status).toBe(405);
});

describe("Faults", () => {
  test.each(["before", "after"] as const)(
    "that reset the connection %s the commit count down",
    async (when) => {
      platform.addFault({ kind: "reset", when, count: 1 });
      await expect(create({ name: "a" })).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
      expect(platform.roomCount()).toBe(when === "after" ? 1 : 0);
      expect((await create({ name: "b" })).status).toBe(201);
    },
  );

  test("select calls by method and path, and are cleared by id", async () => {
    const id = platform.addFault({ pathPattern: "name=a$", method: "get", kind: "status", status: 429 });
    const get = async (query: string) => (await call("GET", `${conferencePath}?${query}`)).status;
    expect([await get("name=a"), await get("name=b")]).toEqual([429, 200]);
    platform.clearFaults(id);
    expect(await get("name=a")).toBe(200);
  });

  test("can let a call be executed after its failed response", async () => {
    platform.seedRooms({ rows: [{ name: "a", tag: "before" }] });
    platform.addFault({ kind: "status", when: "after", commitAfterMilliseconds: 1000, count: 1 });
    expect((await call("PATCH", `${conferencePath}1/`, { tag: "late" })).status).toBe(500);
    expect(platform.rooms()).toMatchObject([{ tag: "before" }]);
    await expect.poll(() => platform.rooms()).toMatchObject([{ tag: "late" }]);
  });

  test.each([
    ["refuse", "ECONNREFUSED"],
    ["reset", "ECONNRESET"],
  ] as const)("such as down by %s break every connection until the platform is up", async (mode, code) => {
    await platform.goDown(mode);
    await expect(call("GET", conferencePath)).rejects.toMatchObject({ cause: { code } });
    expect((await fetch(`${platform.controlUrl}/control/requests`)).status).toBe(200);
    await platform.goUp();
    expect((await call("GET", conferencePath)).status).toBe(200);
  });

  test("include a limit of requests per minute, and calls are counted by route and outcome", async () => {
    platform.setBehaviour({ requestLimitPerMinute: 1 });
    expect((await call("GET", `${conferencePath}1/`)).status).toBe(404);
    const limited = await call("GET", conferencePath);
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(platform.requests()).toMatchObject({
      total: 2,
      byRoute: { [`GET ${conferencePath}{id}/`]: 1 },
      byOutcome: { "404": 1, "429": 1 },
    });
  });
});

test("The control API switches the same things over HTTP, shows them, and explains what is invalid", async () => {
  const control = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${platform.controlUrl}/control/${path}`, init);
    const text = await response.text();
    return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
  };
  platform.seedRooms({ rows: [{ name: "a" }] });
  await control("POST", "faults", { kind: "reset", count: 3 });
  await control("POST", "latency", { milliseconds: 60_000 });
  await control("POST", "alarms", { name: "connectivity_lost" });
  await control("POST", "conferences/join", { name: "a", participant: "Citizen" });
  await control("POST", "conferences/join", { name: "a", participant: "Agent", node: "10.0.0.22" });
  expect((await control("GET", "state")).json).toMatchObject({
    down: null,
    faults: [{ id: 1, kind: "reset", count: 3 }],
    latencies: [{ milliseconds: 60_000 }],
    alarms: [{ name: "connectivity_lost" }],
    conferences: [{ name: "a", nodes: ["10.0.0.21", "10.0.0.22"] }],
  });
  expect((await control("POST", "conferences/leave", { name: "a", participant: "Agent" })).status).toBe(204);
  expect((await control("GET", "state")).json.conferences).toMatchObject([{ nodes: ["10.0.0.21"] }]);
  expect((await control("POST", "conferences/join", { name: "b", participant: "x" })).status).toBe(404);
  expect(await control("POST", "faults", { kind: "explosion" })).toEqual({
    status: 400,
    json: { error: expect.any(String) },
  });
  platform.reset();
  expect((await control("GET", "state")).json).toEqual({
    down: null,
    faults: [],
    latencies: [],
    alarms: [],
    conferences: [],
  });
  expect(platform.seedRooms({ count: 1 })).toEqual([2]);
});
