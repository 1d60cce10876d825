/** Paging, filters and orders of the platform's lists. */
import { expect, test } from "vitest";
import { type ApiAnswer, conferencePath, managementClient } from "../../../support/management-client.ts";
import { usePlatform } from "../../../support/use-platform.ts";

const platform = usePlatform({ requestLimitPerMinute: null });
const call = managementClient(platform);

async function names(query: string): Promise<string[]> {
  const { json } = await call("GET", `${conferencePath}?order_by=name&limit=100&${query}`);
  return json.objects.map((row) => row.name);
}

test("Pages have 20 rows by default, link by relative paths with the filters, and cover every row", async () => {
  platform.seedRooms({ count: 45, mixed: true });
  const seen: string[] = [];
  let next: string | null = `${conferencePath}?name__startswith=room-&order_by=name`;
  const previous: (string | null)[] = [];
  while (next !== null) {
    const { json }: ApiAnswer = await call("GET", next);
    seen.push(...json.objects.map((row) => row.name));
    previous.push(json.meta.previous);
    expect(json.meta).toMatchObject({ limit: 20, total_count: 45 });
    next = json.meta.next;
  }

  expect(seen).toHaveLength(45);
  expect(new Set(seen).size).toBe(45);
  expect(seen).toEqual(seen.toSorted());
  expect(previous[0]).toBeNull();
  expect(previous[1]).toContain(`${conferencePath}?name__startswith=room-&order_by=name&limit=20&offset=0`);
});

test("A limit above the maximum is reduced silently and shown in meta.limit; previous is null while offset < limit", async () => {
  platform.setBehaviour({ maxPageSize: 10 });
  platform.seedRooms({ count: 30 });
  const { json } = await call("GET", `${conferencePath}?limit=5000&offset=5`);

  expect(json.meta).toMatchObject({ limit: 10, offset: 5, previous: null, total_count: 30 });
  expect(json.objects).toHaveLength(10);
});

test("A list without matches returns 200 with no rows", async () => {
  const { status, json } = await call("GET", `${conferencePath}?name=nobody`);

  expect(status).toBe(200);
  expect(json).toEqual({
    meta: { limit: 20, next: null, offset: 0, previous: null, total_count: 0 },
    objects: [],
  });
});

test.each([
  ["name=B", ["B"]],
  ["name=b", []],
  ["name__iexact=b", ["B"]],
  ["name__in=a,c", ["a", "c"]],
  ["tag__contains=oo", ["a", "c"]],
  ["tag__startswith=p", ["a", "c"]],
  ["name__regex=^[ac]$", ["a", "c"]],
  ["allow_guests=true", ["a"]],
  ["allow_guests=False", ["B", "c"]],
  ["participant_limit__gte=5", ["c"]],
  ["participant_limit__isnull=true", ["B", "a"]],
  ["participant_limit=none", ["B", "a"]],
  ["aliases__alias=second", ["c"]],
  ["aliases__alias__startswith=sec", ["c"]],
  ["ivr_theme=1", ["a"]],
  ["ivr_theme__name=Standard", ["a"]],
  ["service_type=conference&tag=pool", ["a", "c"]],
  ["no_such_field=1", ["B", "a", "c"]],
])("The filter %s finds %j", async (query, expected) => {
  const theme = "/api/admin/configuration/v1/ivr_theme/1/";
  platform.seedRooms({
    rows: [
      { name: "a", tag: "pool", pin: "123456", allow_guests: true, ivr_theme: theme },
      { name: "B", service_type: "test_call" },
      { name: "c", tag: "pool", participant_limit: 7, aliases: [{ alias: "first" }, { alias: "second" }] },
    ],
  });

  expect(await names(query)).toEqual(expected);
});

test("Filters on creation_time select new rooms", async () => {
  platform.seedRooms({ rows: [{ name: "old", creation_time: "2026-01-01T00:00:00" }] });
  platform.seedRooms({ rows: [{ name: "new", creation_time: "2026-02-01T00:00:00.500000" }] });

  expect(await names("creation_time__gte=2026-01-15T00:00:00")).toEqual(["new"]);
});

test("Orders ascend, descend and reflect changes", async () => {
  platform.seedRooms({
    rows: [
      { name: "a", tag: "2" },
      { name: "b", tag: "1" },
      { name: "c", tag: "2" },
    ],
  });
  const ordered = async (order: string): Promise<string[]> =>
    (await call("GET", `${conferencePath}?order_by=${order}`)).json.objects.map((row) => row.name);

  expect(await ordered("-name")).toEqual(["c", "b", "a"]);
  expect(await ordered("-tag,name")).toEqual(["a", "c", "b"]);
  await call("PATCH", `${conferencePath}1/`, { tag: "0" });
  expect(await ordered("-tag,name")).toEqual(["c", "b", "a"]);
});

test.each([
  ["id=1", "The 'id' field does not allow filtering."],
  ["sync_tag=x", "The 'sync_tag' field does not allow filtering."],
  ["order_by=id", ""],
  ["limit=-1", ""],
  ["limit=ten", ""],
  ["offset=-1", ""],
  ["name__regex=(", ""],
  ["name__nonsense=x", ""],
])("A list with ?%s returns 400 with a single text", async (query, text) => {
  platform.seedRooms({ count: 1 });
  const { status, json } = await call("GET", `${conferencePath}?${query}`);

  expect(status).toBe(400);
  expect(json).toEqual({ error: expect.stringContaining(text) });
});

test("20,000 rooms are listed once each and found by name and alias", async () => {
  platform.seedRooms({ count: 20_000 });
  const seen = new Set<string>();
  let next: string | null = `${conferencePath}?service_type=conference&order_by=name&limit=1000`;
  while (next !== null) {
    const { json }: ApiAnswer = await call("GET", next);
    for (const row of json.objects) seen.add(row.name);
    next = json.meta.next;
  }

  expect(seen.size).toBe(20_000);
  expect(await names("name=room-19999")).toEqual(["room-19999"]);
  expect(await names("aliases__alias=room-10000")).toEqual(["room-10000"]);
});
