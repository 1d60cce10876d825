/** The platform's conferences: exact names, rows, pages, relations, and undocumented responses. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { validate } from "../../../src/lib/http/validation.ts";
import type { PlatformCall, PlatformClient } from "../../../src/lib/platform/client.ts";
import {
  type ConferenceFields,
  type ConferenceRow,
  type Conferences,
  createConferences,
  toObjects,
  toUri,
} from "../../../src/lib/platform/conferences.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { toReadRoom } from "../../../src/lib/rooms/shapes.ts";
import { changeRoom } from "../../../src/lib/rooms/update.ts";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../tools/simulators/loopback-server.ts";
import { conferencePath as path } from "../../support/management-client.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";

const platform = usePlatform({ requestLimitPerMinute: null });
let client: PlatformClient;
let conferences: Conferences;
let server: LoopbackServer | undefined;
beforeEach(() => {
  client = newPlatformClient(platform.url);
  conferences = createConferences(client);
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** Starts a platform that returns these responses in order, and then repeats the last one. */
async function startAnswering(
  ...answers: Answer[]
): Promise<{ conferences: Conferences; targets: string[] }> {
  const targets: string[] = [];
  server = await startLoopbackServer(({ url }) => {
    targets.push(url.pathname + url.search);
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 500 };
  });
  return { conferences: createConferences(newPlatformClient(server.url)), targets };
}
const page = (objects: unknown, next: unknown = null): Answer => ({
  status: 200,
  body: { meta: { next }, objects },
});
const row = (id: number) => ({ id, name: `room-${id}`, service_type: "conference" });
const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe("findByName", () => {
  test.each(["room-a", "Room A", "a/b", "a&name=b", "a%2Fb", "ü", "🏠", "a'b", "__all__"])(
    "finds %j",
    async (name) => {
      platform.seedRooms({ rows: [{ name }, { name: "other" }] });
      expect(await conferences.findByName(name)).toMatchObject({ name });
    },
  );

  test("finds no other name, even if the platform ignores the filter", async () => {
    platform.seedRooms({ rows: [{ name: "room-a2" }] });
    expect(await conferences.findByName("room-a")).toBeUndefined();

    const { conferences: unfiltered } = await startAnswering(page([row(1), row(2)]));
    expect(await unfiltered.findByName("room-3")).toBeUndefined();
    expect(await unfiltered.findByName("room-2")).toMatchObject({ id: 2 });
  });
});

describe("list", () => {
  test("returns the conferences of all pages and kinds without duplicates", async () => {
    platform.setBehaviour({ maxPageSize: 50 });
    platform.seedRooms({ count: 230, mixed: true });
    const rows = await conferences.list();

    expect(rows).toHaveLength(236);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(236);
    expect(rows.some(({ service_type }) => service_type === "test_call")).toBe(true);
  });

  test("returns no room twice and misses none if rooms are created between pages", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 50 });
    let calls = 0;
    const shifting: PlatformClient["call"] = async (call) => {
      calls += 1;
      if (calls === 3) platform.seedRooms({ count: 5, namePrefix: "a-" });
      return client.call(call);
    };
    const rows = await createConferences({ call: shifting }).list();

    expect(new Set(names(rows)).size).toBe(rows.length);
    expect(names(rows).filter((name) => name.startsWith("room-"))).toHaveLength(50);
  });

  test("follows page links on the configured address only", async () => {
    const { conferences: linked, targets } = await startAnswering(
      page([row(1)], `https://elsewhere.example.com${path}?limit=1&offset=1`),
      page([row(2)]),
    );
    expect(names(await linked.list())).toEqual(["room-1", "room-2"]);
    expect(targets[1]).toBe(`${path}?limit=1&offset=1`);
  });

  test.each([
    "/api/admin/configuration/v1/other/?offset=1",
    "/api/admin/command/v1/platform/restart/",
    `${path}1/`,
    "https://elsewhere.example.com/",
    "?offset=1",
    "not a link",
    "http://[",
  ])("throws for a link to another resource (%s)", async (next) => {
    const { conferences: linked, targets } = await startAnswering(page([row(1)], next));
    await expect(linked.list()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(targets).toHaveLength(1);
  });

  test("throws after 1,000 pages", async () => {
    let calls = 0;
    const endless = createConferences({
      call: async () => {
        calls += 1;
        return { body: { meta: { next: `${path}?offset=1` }, objects: [] } };
      },
    });
    await expect(endless.list()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(calls).toBe(1000);
  });

  test("throws if one page fails, because missing rooms would look deleted", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 30 });
    platform.addFault({ kind: "status", status: 503, pathPattern: "offset=20" });
    await expect(conferences.list()).rejects.toMatchObject({ code: "platform-unavailable" });
  });

  test.each<[string, Answer]>([
    ["a page of HTML", { status: 200, body: "<html></html>" }],
    ["an empty body", { status: 200 }],
    ["no envelope", { status: 200, body: [row(1)] }],
    ["objects that are not a list", page({})],
    ["a row without an ID", page([{ name: "x", service_type: "conference" }])],
    ["a row without a name", page([{ id: 1, service_type: "conference" }])],
    ["a row that is null", page([null])],
    ["a link that is not a string", page([], 5)],
  ])("throws for %s", async (_, answer) => {
    const { conferences: odd } = await startAnswering(answer);
    const message = `${path}: the response does not have the documented format`;
    await expect(odd.list()).rejects.toMatchObject({ code: "platform-rejected", message });
    await expect(odd.findByName("x")).rejects.toMatchObject({ code: "platform-rejected" });
  });
});

describe("writing", () => {
  test.each([
    ["empty responses", {}],
    [
      "responses with the object and an absolute Location",
      { patchReturnsObject: true, absoluteLocation: true },
    ],
  ])("create, update and delete work with %s", async (_, behaviour) => {
    platform.setBehaviour(behaviour);
    await conferences.create({ name: "room-a", aliases: [{ alias: "room-a" }] });
    const id = Number((await conferences.findByName("room-a"))?.id);

    expect(await conferences.update(id, { tag: "x" })).toBe(true);
    expect(await conferences.findByName("room-a")).toMatchObject({ tag: "x" });
    expect(await conferences.delete(id)).toBe(true);
    expect(await conferences.findByName("room-a")).toBeUndefined();
  });

  test("update and delete return false if the conference does not exist", async () => {
    expect(await conferences.update(99, { tag: "x" })).toBe(false);
    expect(await conferences.delete(99)).toBe(false);
  });

  test.each([400, 403, 409, 429])("update and delete throw after a %i", async (status) => {
    const refusing = (await startAnswering({ status })).conferences;
    await expect(refusing.update(1, { tag: "x" })).rejects.toMatchObject({ platformStatus: status });
    await expect(refusing.delete(1)).rejects.toMatchObject({ platformStatus: status });
  });

  test("create throws the platform's field errors if the name is taken", async () => {
    platform.seedRooms({ rows: [{ name: "room-a" }] });
    await expect(conferences.create({ name: "room-a" })).rejects.toMatchObject({
      outcome: "refused",
      body: { conference: { name: [expect.any(String)] } },
    });
  });
});

describe("A row", () => {
  const row = { id: 1, name: "room-a" };
  /** Reads a list of one row as it is. */
  const listOf = async (only: unknown) =>
    createConferences({ call: async () => ({ body: { meta: {}, objects: [only] } }) }).list();

  test.each<object>([
    {},
    { service_type: null, description: null, tag: null, aliases: null },
    { service_type: "conference", description: "", tag: "https://verify.example.com/1" },
    { aliases: [] },
    { aliases: [{ alias: "room-a", id: 5 }, { alias: null }, {}] },
    { future: { deep: [1] }, aliases: undefined, tag: undefined },
  ])("is accepted with %j, and returned as it is", async (fields) => {
    expect(await listOf({ ...row, ...fields })).toEqual([{ ...row, ...fields }]);
  });

  test.each<object>([
    { id: "1" },
    { id: 1.5 },
    { id: null },
    { name: null },
    { name: 5 },
    { service_type: 5 },
    { description: {} },
    { tag: 5 },
    { aliases: {} },
    { aliases: "room-a" },
    { aliases: ["room-a"] },
    { aliases: [null] },
    { aliases: [{ alias: "room-a" }, { alias: 5 }] },
  ])("is undocumented with %j", async (fields) => {
    await expect(listOf({ ...row, ...fields })).rejects.toMatchObject({ code: "platform-rejected" });
  });

  test.each([null, undefined, "text", 5, Object.assign([], row)])("is never %j", async (value) => {
    await expect(listOf(value)).rejects.toMatchObject({ code: "platform-rejected" });
  });
});

test("every operation passes on timeout and deadline", async () => {
  const calls: PlatformCall[] = [];
  const conferences = createConferences({
    call: async (request) => {
      calls.push(request);
      return { body: { meta: {}, objects: [] } };
    },
  });
  const limits = { timeoutSeconds: 3, startBefore: 1000 };
  await conferences.list(limits);
  await conferences.findByName("room-a", limits);
  await conferences.create({ name: "room-a" }, limits);
  await conferences.update(7, { tag: "x" }, limits);
  await conferences.delete(7, limits);

  expect(calls).toEqual([
    { method: "GET", path, query: { limit: 500, order_by: "name" }, ...limits },
    { method: "GET", path, query: { name: "room-a" }, ...limits },
    { method: "POST", path, body: { name: "room-a" }, ...limits },
    { method: "PATCH", path: `${path}7/`, body: { tag: "x" }, ...limits },
    { method: "DELETE", path: `${path}7/`, ...limits },
  ]);
});

describe("Relations", () => {
  const uri = "/api/admin/configuration/v1/ivr_theme/1/";
  const shownInFull = (row: ConferenceRow) => toReadRoom(row, { constrained: false, showHostPin: true });

  /** Returns what the platform is sent for a PATCH of a room with this body. */
  async function sentFor(row: ConferenceRow, body: unknown): Promise<ConferenceFields[]> {
    const sent: ConferenceFields[] = [];
    const update = async (_id: number, fields: ConferenceFields) => {
      sent.push(fields);
      return true;
    };
    const conferences = { findByName: async () => row, update };
    await changeRoom(conferences, row.name, validate(Conference, body, "body"), createRecordingLog());
    return sent;
  }

  test.each([
    ["null", null, null],
    ["nothing", undefined, null],
    ["an empty string", "", null],
    ["a URI", uri, [{ resource_uri: uri }]],
    ["an object", { id: 1 }, [{ id: 1 }]],
    ["a list of URIs", [uri, uri], [{ resource_uri: uri }, { resource_uri: uri }]],
    ["a list of objects", [{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 2 }]],
    ["an empty list", [], []],
    ["a list with other values", [null, 5, { id: 1 }], [{ id: 1 }]],
  ])("toObjects converts %s to the API's type", (_, value, shown) => {
    expect(toObjects(value)).toEqual(shown);
  });

  test.each([
    ["a URI", { resource_uri: uri, id: 9 }, uri],
    ["an ID and no URI", { id: 9 }, "/api/admin/configuration/v1/ivr_theme/9/"],
    ["neither", { name: "x" }, undefined],
    ["a URI of another API", { resource_uri: "/api/admin/command/v1/platform/restart/", id: 9 }, undefined],
    ["a URI on another host", { resource_uri: "https://example.com/x/" }, undefined],
    ["an ID that is a string", { id: "9/../../" }, undefined],
    ["a fractional ID", { id: 1.5 }, undefined],
  ])("toUri of an object with %s", (_, entry, expected) => {
    expect(toUri(entry, "ivr_theme")).toBe(expected);
  });

  test.each([
    ["gms_access_token", "gms_access_token", false],
    ["guest_identity_provider_group", "identity_provider_group", false],
    ["host_identity_provider_group", "identity_provider_group", false],
    ["ivr_theme", "ivr_theme", false],
    ["media_playlist", "media_library_playlist", false],
    ["mssip_proxy", "mssip_proxy", false],
    ["system_location", "system_location", false],
    ["automatic_participants", "automatic_participant", true],
    ["scheduled_conferences", "scheduled_conference", true],
  ])(
    "an ID in %s is sent as a URI of %s, and the URI is returned as an object",
    async (field, resource, isMany) => {
      const path = `/api/admin/configuration/v1/${resource}/7/`;
      const row: ConferenceRow = { id: 1, name: "room-a", [field]: isMany ? [path] : path };
      const uris = isMany ? [path] : path;
      expect(await sentFor(row, { [field]: [{ id: 7 }] })).toEqual([{ [field]: uris }]);
      expect(shownInFull(row)).toMatchObject({ [field]: [{ resource_uri: path }] });
    },
  );
});
