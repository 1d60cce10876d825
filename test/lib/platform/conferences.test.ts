/** The platform's conferences: exact names, all pages, and answers that are not what the platform documents. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../../local/simulators/platform/platform-simulator.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { createPlatformClient, type PlatformClient } from "../../../src/lib/platform/client.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";

const account = { username: "api-user", password: "api-password" };
const path = "/api/admin/configuration/v1/conference/";

let platform: PlatformSimulator;
let client: PlatformClient;
let conferences: Conferences;
let server: LoopbackServer | undefined;
beforeEach(async () => {
  platform = await startPlatformSimulator({ ...account, requestLimitPerMinute: null });
  client = newClient(platform.url);
  conferences = createConferences(client);
});
afterEach(async () => {
  await platform.stop();
  await server?.stop();
  server = undefined;
});

function newClient(url: string): PlatformClient {
  const logIn = createBasicLogIn(account.username, account.password);
  return createPlatformClient({ url, timeoutSeconds: 20, maxConcurrency: 5, logIn, clock: systemClock });
}
/** A platform that gives these answers one after the other, the last one for ever. */
async function startAnswering(
  ...answers: Answer[]
): Promise<{ conferences: Conferences; targets: string[] }> {
  const targets: string[] = [];
  server = await startLoopbackServer(({ url }) => {
    targets.push(url.pathname + url.search);
    return (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 500 };
  });
  return { conferences: createConferences(newClient(server.url)), targets };
}
const page = (objects: unknown, next: unknown = null): Answer => ({
  status: 200,
  body: { meta: { next }, objects },
});
const row = (id: number) => ({ id, name: `room-${id}`, service_type: "conference" });
const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe("finding by name", () => {
  test.each(["room-a", "Room A", "a/b", "a&name=b", "a%2Fb", "ü", "🏠", "a'b", "__all__"])(
    "finds %j",
    async (name) => {
      platform.seedRooms({ rows: [{ name }, { name: "other" }] });
      expect(await conferences.findByName(name)).toMatchObject({ name });
    },
  );

  test("finds no other name, also where the platform ignores the filter", async () => {
    platform.seedRooms({ rows: [{ name: "room-a2" }] });
    expect(await conferences.findByName("room-a")).toBeUndefined();

    const { conferences: careless } = await startAnswering(page([row(1), row(2)]));
    expect(await careless.findByName("room-3")).toBeUndefined();
    expect(await careless.findByName("room-2")).toMatchObject({ id: 2 });
  });

  test("a name in another case is another room", async () => {
    const { conferences: careless } = await startAnswering(page([{ ...row(1), name: "ROOM-A" }]));
    expect(await careless.findByName("room-a")).toBeUndefined();
  });
});

describe("listing", () => {
  test("gives all rooms of all pages, each once, whatever their kind", async () => {
    platform.setBehaviour({ maxPageSize: 50 });
    platform.seedRooms({ count: 230, mixed: true });
    const rows = await conferences.list();

    expect(rows).toHaveLength(236);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(236);
    expect(rows.some(({ service_type }) => service_type === "test_call")).toBe(true);
  });

  test("an empty platform gives an empty list", async () => {
    expect(await conferences.list()).toEqual([]);
  });

  test("while rooms are made and deleted between pages, none is listed twice, and those that stay before it are listed", async () => {
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

  test("the page links are followed on the configured address alone", async () => {
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
  ])("a link to another resource (%s) is refused", async (next) => {
    const { conferences: linked, targets } = await startAnswering(page([row(1)], next));
    await expect(linked.list()).rejects.toMatchObject({ code: "platform-rejected" });
    expect(targets).toHaveLength(1);
  });

  test("pages without end are given up", async () => {
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

  test("a page that fails fails the list: half a list would look like deleted rooms", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 30 });
    platform.addFault({ kind: "status", status: 503, pathPattern: "offset=20" });
    await expect(conferences.list()).rejects.toMatchObject({ code: "platform-unavailable" });
  });

  test.each<[string, Answer]>([
    ["a page of HTML", { status: 200, body: "<html></html>" }],
    ["an empty body", { status: 200 }],
    ["no envelope", { status: 200, body: [row(1)] }],
    ["no list of objects", page({})],
    ["a row without an id", page([{ name: "x", service_type: "conference" }])],
    ["a row without a name", page([{ id: 1, service_type: "conference" }])],
    ["a row that is null", page([null])],
    ["a link that is no text", page([], 5)],
  ])("%s is not taken for a list", async (_, answer) => {
    const { conferences: odd } = await startAnswering(answer);
    await expect(odd.list()).rejects.toMatchObject({ code: "platform-rejected" });
    await expect(odd.findByName("x")).rejects.toMatchObject({ code: "platform-rejected" });
  });

  test("a row needs no more than its id and its name", async () => {
    const { conferences: bare } = await startAnswering(page([{ id: 1, name: "x" }]));
    expect(await bare.list()).toEqual([{ id: 1, name: "x" }]);
  });

  test("fields that nobody knows yet are kept as they came", async () => {
    const { conferences: newer } = await startAnswering(page([{ ...row(1), future: { deep: [1, null] } }]));
    expect(await newer.list()).toEqual([{ ...row(1), future: { deep: [1, null] } }]);
  });
});

describe("writing", () => {
  test.each([
    ["empty answers", {}],
    [
      "answers with the object and an absolute Location",
      { patchReturnsObject: true, absoluteLocation: true },
    ],
  ])("a room is made, changed and deleted, with %s", async (_, behaviour) => {
    platform.setBehaviour(behaviour);
    await conferences.create({ name: "room-a", aliases: [{ alias: "room-a" }] });
    const id = Number((await conferences.findByName("room-a"))?.id);

    expect(await conferences.update(id, { tag: "x" })).toBe(true);
    expect(await conferences.findByName("room-a")).toMatchObject({ tag: "x" });
    expect(await conferences.delete(id)).toBe(true);
    expect(await conferences.findByName("room-a")).toBeUndefined();
  });

  test("what is gone is told by false, not by an error", async () => {
    expect(await conferences.update(99, { tag: "x" })).toBe(false);
    expect(await conferences.delete(99)).toBe(false);
  });

  test.each([400, 403, 409, 429])(
    "what is refused with %i is not gone: an error tells it",
    async (status) => {
      const refusing = (await startAnswering({ status })).conferences;
      await expect(refusing.update(1, { tag: "x" })).rejects.toMatchObject({ platformStatus: status });
      await expect(refusing.delete(1)).rejects.toMatchObject({ platformStatus: status });
    },
  );

  test("a taken name is refused with the platform's fields", async () => {
    platform.seedRooms({ rows: [{ name: "room-a" }] });
    await expect(conferences.create({ name: "room-a" })).rejects.toMatchObject({
      outcome: "refused",
      body: { conference: { name: [expect.any(String)] } },
    });
  });

  test("no call ever addresses a whole list for a change", async () => {
    platform.seedRooms({ count: 2 });
    const [first] = await conferences.list();
    await conferences.update(Number(first?.id), { tag: "x" });
    await conferences.delete(Number(first?.id));
    expect(platform.requests().listWipeAttempts).toBe(0);
    expect(platform.roomCount()).toBe(1);
  });
});
