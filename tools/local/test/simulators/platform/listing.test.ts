/** Paging, filters and orders of the platform's lists. */
import { expect, test } from "vitest";
import {
  type ApiAnswer,
  conferencePath,
  managementClient,
} from "../../../../../test/support/management-client.ts";
import { usePlatform } from "../../../../../test/support/use-platform.ts";

const platform = usePlatform({ requestLimitPerMinute: null });
const call = managementClient(platform);

const names = async (query: string): Promise<string[]> =>
  (await call("GET", `${conferencePath}?${query}`)).json.objects.map(({ name }) => name);

test.each([
  ["20 rows by default", 45, 20, "order_by=name"],
  ["as many rows as requested", 20_000, 1000, "order_by=name&limit=1000"],
])(
  "Pages have %s, link by relative paths with the query, and cover every row",
  async (_, count, limit, query) => {
    platform.seedRooms({ count });
    const seen: string[] = [];
    const previous: (string | null)[] = [];
    let next: string | null = `${conferencePath}?${query}`;
    while (next !== null) {
      const { json }: ApiAnswer = await call("GET", next);
      seen.push(...json.objects.map((row) => row.name));
      previous.push(json.meta.previous);
      expect(json.meta).toMatchObject({ limit, total_count: count });
      next = json.meta.next;
    }

    expect(new Set(seen).size).toBe(count);
    expect(seen).toEqual(seen.toSorted());
    expect(previous[0]).toBeNull();
    expect(previous[1]).toMatch(/\?order_by=name&limit=\d+&offset=0$/);
  },
);

test("A limit above the maximum is reduced; previous is null while the offset is below the limit", async () => {
  platform.setBehaviour({ maxPageSize: 10 });
  platform.seedRooms({ count: 30 });
  const { json } = await call("GET", `${conferencePath}?limit=5000&offset=5`);

  expect(json.meta).toMatchObject({ limit: 10, offset: 5, previous: null, total_count: 30 });
  expect(json.objects).toHaveLength(10);
});

test("A list without matches returns 200 with no rows", async () => {
  const { status, json } = await call("GET", `${conferencePath}?name=nobody`);
  const meta = { limit: 20, next: null, offset: 0, previous: null, total_count: 0 };
  expect([status, json]).toEqual([200, { meta, objects: [] }]);
});

test("A list is filtered by the exact name and sorted by it, also after a change", async () => {
  platform.seedRooms({ rows: [{ name: "b" }, { name: "a" }, { name: "C" }] });
  expect(await names("name=C")).toEqual(["C"]);
  expect(await names("name=c")).toEqual([]);
  expect(await names("")).toEqual(["b", "a", "C"]);
  expect(await names("order_by=name")).toEqual(["C", "a", "b"]);
  await call("PATCH", `${conferencePath}1/`, { name: "0" });
  expect(await names("order_by=name")).toEqual(["0", "C", "a"]);
});

test.each(["tag=x", "name__regex=a", "order_by=id", "limit=-1", "limit=ten", "offset=-1"])(
  "A list with ?%s returns 400 with a single text",
  async (query) => {
    const { status, json } = await call("GET", `${conferencePath}?${query}`);
    expect([status, json]).toEqual([400, { error: expect.any(String) }]);
  },
);
