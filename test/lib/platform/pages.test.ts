/** Pages of the conference list: how many are requested and when; and the limits of each call. */
import { expect, test } from "vitest";
import type { PlatformCall } from "../../../src/lib/platform/client.ts";
import { createConferences } from "../../../src/lib/platform/conferences.ts";

const path = "/api/admin/configuration/v1/conference/";
const row = (id: number) => ({ id, name: `room-${id}` });

/** Creates a platform with `total` rooms on pages of `limit` that records the calls. */
function paged({ total, limit, meta = {} }: { total: number; limit: number; meta?: object }) {
  const calls: PlatformCall[] = [];
  let [inFlight, maxInFlight] = [0, 0];
  const call = async (request: PlatformCall) => {
    calls.push(request);
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    await Promise.resolve();
    inFlight -= 1;
    const url = new URL(request.path, "http://platform.example.com");
    const offset = Number(url.searchParams.get("offset") ?? 0);
    const next = offset + limit < total ? `${path}?limit=${limit}&offset=${offset + limit}` : null;
    const objects = Array.from({ length: Math.min(limit, total - offset) }, (_, index) =>
      row(offset + index),
    );
    return { body: { meta: { limit, next, total_count: total, ...meta }, objects } };
  };
  return { conferences: createConferences({ call }), calls, maxInFlight: () => maxInFlight };
}

test("list requests 500 rows, ordered by name", async () => {
  const { conferences, calls } = paged({ total: 3, limit: 500 });
  expect(await conferences.list()).toHaveLength(3);
  expect(calls).toEqual([{ method: "GET", path, query: { limit: 500, order_by: "name" } }]);
});

test.each([
  [20, 2],
  [21, 3],
  [29, 3],
])("list reads %i rooms on pages of ten with %i calls", async (total, expected) => {
  const { conferences, calls } = paged({ total, limit: 10 });
  expect(await conferences.list()).toHaveLength(total);
  expect(calls).toHaveLength(expected);
});

test("list reads all rows of pages of 500", async () => {
  const { conferences } = paged({ total: 1000, limit: 500 });
  expect(await conferences.list()).toHaveLength(1000);
});

test("list fetches predictable pages in parallel", async () => {
  const { conferences, maxInFlight } = paged({ total: 50, limit: 10 });
  expect(await conferences.list()).toHaveLength(50);
  expect(maxInFlight()).toBe(4);
});

test.each<[string, object]>([
  ["no count", { total_count: undefined }],
  ["a count that is not a number", { total_count: "many" }],
  ["a negative count", { total_count: -1 }],
  ["a huge count", { total_count: 1e12 }],
  ["no page size", { limit: undefined }],
  ["a page size of zero", { limit: 0 }],
  ["a page size that differs from the link", { limit: 7 }],
])("list follows the links one by one with %s", async (_, meta) => {
  const { conferences, calls, maxInFlight } = paged({ total: 30, limit: 10, meta });
  expect(await conferences.list()).toHaveLength(30);
  expect(calls).toHaveLength(3);
  expect(maxInFlight()).toBe(1);
});

test("list misses no row if later pages are smaller than the first", async () => {
  const call = async (request: PlatformCall) => {
    const { searchParams } = new URL(request.path, "http://platform.example.com");
    const offset = Number(searchParams.get("offset") ?? 0);
    const end = Math.min(30, offset + (offset === 0 ? 10 : Number(searchParams.get("limit"))));
    const next = end < 30 ? `${path}?limit=5&offset=${end}` : null;
    const objects = Array.from({ length: end - offset }, (_, index) => row(offset + index));
    return { body: { meta: { limit: 10, next, total_count: 30 }, objects } };
  };
  expect(await createConferences({ call }).list()).toHaveLength(30);
});

test("list returns one page if it has no link", async () => {
  const { conferences } = paged({ total: 5, limit: 10, meta: { next: undefined } });
  expect(await conferences.list()).toHaveLength(5);
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
  await conferences.findByName("room-a", limits);
  await conferences.create({ name: "room-a" }, limits);
  await conferences.update(7, { tag: "x" }, limits);
  await conferences.delete(7, limits);

  expect(calls).toEqual([
    { method: "GET", path, query: { name: "room-a" }, ...limits },
    { method: "POST", path, body: { name: "room-a" }, ...limits },
    { method: "PATCH", path: `${path}7/`, body: { tag: "x" }, ...limits },
    { method: "DELETE", path: `${path}7/`, ...limits },
  ]);
});
