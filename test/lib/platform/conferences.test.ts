/** The platform's conferences: exact names, rows, pages, relations, and undocumented responses. */
import { beforeEach, describe, expect, test } from "vitest";
import { validate } from "../../../src/lib/http/validation.ts";
import type { PlatformCall, PlatformClient } from "../../../src/lib/platform/client.ts";
import {
  type ConferenceRow,
  type Conferences,
  createConferences,
  toObjects,
  toUri,
} from "../../../src/lib/platform/conferences.ts";
import { Conference } from "../../../src/lib/rooms/schemas.ts";
import { toReadRoom } from "../../../src/lib/rooms/shapes.ts";
import { changeRoom } from "../../../src/lib/rooms/update.ts";
import { conferencePath as path } from "../../support/management-client.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";

const platform = usePlatform({ requestLimitPerMinute: null });
let client: PlatformClient;
let conferences: Conferences;
beforeEach(() => {
  client = newPlatformClient(platform.url);
  conferences = createConferences(client);
});

/** Returns conferences whose calls get these bodies in order, and then the last one again, and the calls so far. */
function answering(...bodies: unknown[]): { conferences: Conferences; calls: PlatformCall[] } {
  const calls: PlatformCall[] = [];
  const call = async (request: PlatformCall) => {
    calls.push(request);
    return { body: bodies.length > 1 ? bodies.shift() : bodies[0] };
  };
  return { conferences: createConferences({ call }), calls };
}
const page = (objects: unknown, next: unknown = null) => ({ meta: { next }, objects });
const row = (id: number) => ({ id, name: `room-${id}`, service_type: "conference" });
const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe("findByName", () => {
  test.each(["a/b&name=b", "a%2Fb", "Ü 🏠's", "__all__"])("finds %j", async (name) => {
    platform.seedRooms({ rows: [{ name }, { name: "other" }] });
    expect(await conferences.findByName(name)).toMatchObject({ name });
  });

  test("finds no other name, even if the platform ignores the filter", async () => {
    const { conferences: unfiltered } = answering(page([row(1), row(2)]));
    expect(await unfiltered.findByName("room-3")).toBeUndefined();
    expect(await unfiltered.findByName("room-2")).toMatchObject({ id: 2 });
  });
});

describe("list", () => {
  test("returns every kind from all pages, none twice, even if rooms are created between pages", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 50, mixed: true });
    let calls = 0;
    const shifting: PlatformClient["call"] = async (call) => {
      calls += 1;
      if (calls === 3) platform.seedRooms({ count: 5, namePrefix: "a-" });
      return client.call(call);
    };
    const rows = await createConferences({ call: shifting }).list();

    expect(new Set(names(rows)).size).toBe(rows.length);
    expect(names(rows).filter((name) => name.startsWith("room-"))).toHaveLength(50);
    expect(rows.some(({ service_type }) => service_type === "test_call")).toBe(true);
  });

  test("follows page links on the configured address only", async () => {
    const { conferences: linked, calls } = answering(
      page([row(1)], `https://elsewhere.example.com${path}?limit=1&offset=1`),
      page([row(2)]),
    );
    expect(names(await linked.list())).toEqual(["room-1", "room-2"]);
    expect(calls[1]?.path).toBe(`${path}?limit=1&offset=1`);
  });

  test.each(["/api/admin/command/v1/platform/restart/", `${path}1/`, "?offset=1", "http://["])(
    "throws for a link to another resource (%s)",
    async (next) => {
      const { conferences: linked, calls } = answering(page([row(1)], next));
      await expect(linked.list()).rejects.toMatchObject({ code: "platform-rejected" });
      expect(calls).toHaveLength(1);
    },
  );

  test("throws for a link to a page that has been read", async () => {
    const { conferences: endless, calls } = answering(page([], `${path}?offset=1`));
    await expect(endless.list()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(calls).toHaveLength(2);
  });

  test("throws if one page fails, because missing rooms would look deleted", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 30 });
    platform.addFault({ kind: "status", status: 503, pathPattern: "offset=20" });
    await expect(conferences.list()).rejects.toMatchObject({ code: "platform-unavailable" });
  });

  test.each<[string, unknown]>([
    ["a page of HTML", "<html></html>"],
    ["objects that are not a list", page({})],
    ["a link that is not a string", page([], 5)],
  ])("throws for %s", async (_, body) => {
    const { conferences: odd } = answering(body);
    const message = `${path}: the response does not have the documented format`;
    await expect(odd.list()).rejects.toMatchObject({ code: "platform-rejected", message });
    await expect(odd.findByName("x")).rejects.toMatchObject({ code: "platform-rejected" });
  });
});

describe("writing", () => {
  test("create, update and delete change the platform", async () => {
    await conferences.create({ name: "room-a", aliases: [{ alias: "room-a" }] });
    const id = Number((await conferences.findByName("room-a"))?.id);

    expect(await conferences.update(id, { tag: "x" })).toEqual({ tag: "x" });
    expect(await conferences.findByName("room-a")).toMatchObject({ tag: "x" });
    expect(await conferences.delete(id)).toBe(true);
    expect(await conferences.findByName("room-a")).toBeUndefined();
  });

  test("update returns undefined and delete false if the conference does not exist", async () => {
    expect(await conferences.update(99, { tag: "x" })).toBeUndefined();
    expect(await conferences.delete(99)).toBe(false);
  });

  test("update and delete throw any other failure", async () => {
    platform.addFault({ kind: "status", status: 409 });
    await expect(conferences.update(1, { tag: "x" })).rejects.toMatchObject({ platformStatus: 409 });
    await expect(conferences.delete(1)).rejects.toMatchObject({ platformStatus: 409 });
  });
});

describe("A row", () => {
  const room = { id: 1, name: "room-a" };

  test.each<object>([
    {},
    { service_type: null, description: null, tag: null, aliases: null },
    { aliases: [{ alias: "room-a", id: 5 }, { alias: null }, {}], future: { deep: [1] }, tag: undefined },
  ])("is accepted with %j, and returned as it is", async (fields) => {
    const { conferences } = answering(page([{ ...room, ...fields }]));
    expect(await conferences.list()).toEqual([{ ...room, ...fields }]);
  });

  test.each<unknown>([
    null,
    "text",
    Object.assign([], room),
    { ...room, id: 1.5 },
    { ...room, name: null },
    { ...room, service_type: 5 },
    { ...room, description: {} },
    { ...room, tag: 5 },
    { ...room, aliases: {} },
    { ...room, aliases: ["room-a"] },
    { ...room, aliases: [{ alias: "room-a" }, { alias: 5 }] },
  ])("is undocumented if it is %j", async (only) => {
    const { conferences } = answering(page([only]));
    await expect(conferences.list()).rejects.toMatchObject({ code: "platform-rejected" });
  });
});

test("every operation passes on timeout and deadline", async () => {
  const { conferences, calls } = answering(page([]));
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
    { method: "PATCH", path: `${path}7/`, body: expect.any(Function), ...limits },
    { method: "DELETE", path: `${path}7/`, ...limits },
  ]);
});

describe("Relations", () => {
  const uri = (resource: string, id = 7) => `/api/admin/configuration/v1/${resource}/${id}/`;

  test.each([
    ["null", null, null],
    ["nothing", undefined, null],
    ["an empty string", "", null],
    ["a URI", uri("ivr_theme"), [{ resource_uri: uri("ivr_theme") }]],
    ["an object", { id: 1 }, [{ id: 1 }]],
    ["an empty list", [], []],
    ["a list with other values", [null, 5, { id: 1 }], [{ id: 1 }]],
  ])("toObjects converts %s to the API's type", (_, value, shown) => {
    expect(toObjects(value)).toEqual(shown);
  });

  test.each([
    ["a URI", { resource_uri: uri("ivr_theme"), id: 9 }, uri("ivr_theme")],
    ["an ID and no URI", { id: 9 }, uri("ivr_theme", 9)],
    ["neither", { name: "x" }, undefined],
    ["a URI of another API", { resource_uri: "/api/admin/command/v1/platform/restart/", id: 9 }, undefined],
    ["an ID that is a string", { id: "9/../../" }, undefined],
  ])("toUri of an object with %s", (_, entry, expected) => {
    expect(toUri(entry, "ivr_theme")).toBe(expected);
  });

  test("An ID in any relation is sent as a URI of its resource, which is returned as an object", async () => {
    const stored = {
      gms_access_token: uri("gms_access_token"),
      guest_identity_provider_group: uri("identity_provider_group"),
      host_identity_provider_group: uri("identity_provider_group"),
      ivr_theme: uri("ivr_theme"),
      media_playlist: uri("media_library_playlist"),
      mssip_proxy: uri("mssip_proxy"),
      system_location: uri("system_location"),
      automatic_participants: [uri("automatic_participant")],
      scheduled_conferences: [uri("scheduled_conference")],
    };
    const row: ConferenceRow = { id: 1, name: "room-a", ...stored };
    const shown = toReadRoom(row, { constrained: false, showHostPin: true });
    const sent: unknown[] = [];
    const update: Conferences["update"] = async (_id, fields) => {
      sent.push(fields);
      return {};
    };
    const byId = Object.fromEntries(Object.keys(stored).map((field) => [field, [{ id: 7 }]]));
    const change = validate(Conference, byId, "body");
    await changeRoom({ findByName: async () => row, update }, row.name, change, createRecordingLog());

    expect(sent).toEqual([stored]);
    for (const [field, uris] of Object.entries(stored))
      expect(shown).toMatchObject({ [field]: [uris].flat().map((resource_uri) => ({ resource_uri })) });
  });
});
