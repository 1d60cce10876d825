/** The platform's conferences: exact names, rows, pages, and undocumented responses. */
import { beforeEach, describe, expect, test } from "vitest";
import type { PlatformCall, PlatformClient } from "../../../src/lib/platform/client.ts";
import { type Conferences, createConferences } from "../../../src/lib/platform/conferences.ts";
import { newPlatformClient, conferencePath as path, usePlatform } from "../../support/use-platform.ts";

const platform = usePlatform();
let client: PlatformClient;
beforeEach(() => {
  client = newPlatformClient(platform.url);
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

describe("`findByName`", () => {
  test("finds no other name, even if the platform ignores the filter", async () => {
    const { conferences: unfiltered } = answering(page([row(1), row(2)]));
    for (const other of ["room-3", "room", "ROOM-2"])
      expect(await unfiltered.findByName(other)).toBeUndefined();
    expect(await unfiltered.findByName("room-2")).toMatchObject({ id: 2 });
  });
});

describe("The list of rooms", () => {
  test("has every kind from all pages, none twice, even if rooms are created between pages", async () => {
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

  test("follows page links on the configured address only, each within its limits", async () => {
    const next = `https://elsewhere.example.com${path}?limit=1&offset=1`;
    const { conferences: linked, calls } = answering(page([row(1)], next), page([row(2)]));
    expect(names(await linked.list({ startBefore: 5 }))).toEqual(["room-1", "room-2"]);
    const second = { path: `${path}?limit=1&offset=1`, startBefore: 5 };
    expect(calls).toMatchObject([{ query: { order_by: "name" } }, second]);
  });

  test.each(["/api/admin/command/v1/platform/restart/", `${path}1/`, "?offset=1", "http://[", 5])(
    "throws for a link that is not to another page (%s)",
    async (next) => {
      const { conferences: linked, calls } = answering(page([row(1)], next));
      const message = `${path}: the response does not have the documented format`;
      await expect(linked.list()).rejects.toMatchObject({ code: "platform-unavailable", message });
      expect(calls).toHaveLength(1);
    },
  );

  test("throws for a link to a page that has been read", async () => {
    const { conferences: endless, calls } = answering(page([], `${path}?offset=1`));
    await expect(endless.list()).rejects.toMatchObject({ code: "platform-unavailable" });
    expect(calls).toHaveLength(2);
  });
});

describe("A row of the platform", () => {
  const room = { id: 1, name: "room-a" };

  test.each<[string, object]>([
    ["the required fields only", {}],
    ["null", { service_type: null, description: null, tag: null, aliases: null }],
    [
      "nested values",
      { aliases: [{ alias: "room-a", id: 5 }, { alias: null }, {}], future: { deep: [1] }, tag: undefined },
    ],
  ])("is accepted with %s, and returned as it is", async (_, fields) => {
    const { conferences } = answering(page([{ ...room, ...fields }]));
    expect(await conferences.list()).toEqual([{ ...room, ...fields }]);
  });

  test.each<[string, unknown]>([
    ["is null", null],
    ["is a text", "text"],
    ["has a fraction as id", { ...room, id: 1.5 }],
    ["has null as name", { ...room, name: null }],
    ["has a number as service type", { ...room, service_type: 5 }],
    ["has an object as description", { ...room, description: {} }],
    ["has a number as tag", { ...room, tag: 5 }],
    ["has an object as aliases", { ...room, aliases: {} }],
    ["has a text among its aliases", { ...room, aliases: ["room-a"] }],
    ["has a number as alias", { ...room, aliases: [{ alias: "room-a" }, { alias: 5 }] }],
  ])("is undocumented if it %s, and so is a page without rows", async (_, only) => {
    for (const body of [page([only]), page(only), only]) {
      const { conferences } = answering(body);
      await expect(conferences.list()).rejects.toMatchObject({ code: "platform-unavailable" });
      await expect(conferences.findByName("x")).rejects.toMatchObject({ code: "platform-unavailable" });
    }
  });
});
