/** The platform's conferences: exact names, all pages, and undocumented responses. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PlatformClient } from "../../../src/lib/platform/client.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../tools/local/simulators/loopback-server.ts";
import { conferencePath as path } from "../../support/management-client.ts";
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

  test("distinguishes upper and lower case", async () => {
    const { conferences: unfiltered } = await startAnswering(page([{ ...row(1), name: "ROOM-A" }]));
    expect(await unfiltered.findByName("room-a")).toBeUndefined();
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

  test("returns an empty list for an empty platform", async () => {
    expect(await conferences.list()).toEqual([]);
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

  test("asks for no other page once one has failed", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 500 });
    platform.addFault({ kind: "status", status: 400, pathPattern: "offset=20" });
    await expect(conferences.list()).rejects.toMatchObject({ platformStatus: 400 });
    // This call waits behind the other pages, of which there are fifty.
    await client.call({ method: "GET", path });
    expect(platform.requests().total).toBeLessThanOrEqual(12);
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
    await expect(odd.list()).rejects.toMatchObject({ code: "platform-rejected" });
    await expect(odd.findByName("x")).rejects.toMatchObject({ code: "platform-rejected" });
  });

  test("accepts a row with only ID and name", async () => {
    const { conferences: bare } = await startAnswering(page([{ id: 1, name: "x" }]));
    expect(await bare.list()).toEqual([{ id: 1, name: "x" }]);
  });

  test("keeps unknown fields unchanged", async () => {
    const { conferences: newer } = await startAnswering(page([{ ...row(1), future: { deep: [1, null] } }]));
    expect(await newer.list()).toEqual([{ ...row(1), future: { deep: [1, null] } }]);
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

  test("update and delete never address the whole list", async () => {
    platform.seedRooms({ count: 2 });
    const [first] = await conferences.list();
    await conferences.update(Number(first?.id), { tag: "x" });
    await conferences.delete(Number(first?.id));
    expect(platform.requests().listWipeAttempts).toBe(0);
    expect(platform.roomCount()).toBe(1);
  });
});
