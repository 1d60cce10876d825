/** The platform's conferences: exact names, rows, pages, and undocumented responses. */
import { beforeEach, describe, expect, test } from "vitest";
import type { PlatformCall, PlatformClient } from "../../../src/lib/platform/client.ts";
import { type Conferences, createConferences, listRows } from "../../../src/lib/platform/conferences.ts";
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
const page = (objects: unknown, count = 0) => ({ meta: { total_count: count }, objects });
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
  test("has every kind from all pages, each once, even if rooms are created and deleted between pages", async () => {
    platform.setBehaviour({ maxPageSize: 10 });
    platform.seedRooms({ count: 50, mixed: true });
    const first = await createConferences(client).list();
    let calls = 0;
    const shifting: PlatformClient["call"] = async (call) => {
      calls += 1;
      if (calls === 3) platform.seedRooms({ count: 5, namePrefix: "a-" });
      if (calls === 5) await createConferences(client).delete(first[0]?.id ?? 0);
      return client.call(call);
    };
    const rows = await createConferences({ call: shifting }).list();

    expect(new Set(names(rows)).size).toBe(rows.length);
    expect(names(rows).filter((name) => name.startsWith("room-"))).toHaveLength(50);
    expect(rows.some(({ service_type }) => service_type === "test_call")).toBe(true);
  });

  test("asks for each page within its limits, and stops after an empty one before the end", async () => {
    const pages = [page([row(1), row(2)], 4), page([], 4), page([row(4)], 4)];
    const { conferences, calls } = answering(...pages);
    const message = `${path}: the response does not have the documented format`;
    const failure = { code: "platform-unavailable", message };
    await expect(conferences.list({ startBefore: 5 })).rejects.toMatchObject(failure);
    const pageCall = (offset: number) => ({ path, query: { order_by: "name", offset }, startBefore: 5 });
    expect(calls).toMatchObject([pageCall(0), pageCall(2)]);
  });
});

describe("Of the rows of all pages", () => {
  const listed = async (...pages: unknown[][]) => {
    const total = pages.flat().length;
    const bodies = pages.map((objects, index) => page(objects, index < pages.length - 1 ? 10 * total : 0));
    return listRows({ call: async () => ({ body: bodies.shift() }) }, path);
  };

  test.each<[string, unknown[], unknown[], unknown[]]>([
    [
      "the last copy counts",
      [{ id: 1, name: "old" }, row(2)],
      [{ id: 1, name: "new" }, row(3)],
      [{ id: 1, name: "new" }, row(2), row(3)],
    ],
    ["0 is an ID", [{ id: 0 }], [{ id: 0 }], [{ id: 0 }]],
    ["1 is not the text 1", [{ id: 1 }], [{ id: "1" }], [{ id: 1 }, { id: "1" }]],
    [
      "each without an ID stays",
      [{}, { id: null }],
      [{}, { id: null }],
      [{}, { id: null }, {}, { id: null }],
    ],
    ["each that is not an object stays", [5, null], [5, { id: 5 }, null], [5, null, 5, { id: 5 }, null]],
  ])("each ID is there once: %s", async (_, first, second, rows) => {
    expect(await listed(first, second)).toEqual(rows);
  });

  test("150,000 on one page are listed", async () => {
    const rows = Array.from({ length: 150_000 }, (_, id) => ({ id }));
    expect(await listed(rows)).toHaveLength(150_000);
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
  ])("is undocumented if it %s, and so is a page without rows or their number", async (_, only) => {
    for (const body of [page([only]), page(only), only, { meta: {}, objects: [] }]) {
      const { conferences } = answering(body);
      await expect(conferences.list()).rejects.toMatchObject({ code: "platform-unavailable" });
      await expect(conferences.findByName("x")).rejects.toMatchObject({ code: "platform-unavailable" });
    }
  });
});
