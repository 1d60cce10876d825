/** HTTP functions: what they validate, and what their `handle` receives. */
import { expect, test } from "vitest";
import * as z from "zod";
import { bodyFunction, empty, json, noQuery, queryFunction } from "../../../src/lib/http/http-function.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const contract = {
  method: "POST",
  route: "x",
  access: "anyone",
  summary: "x",
  description: "x",
  responses: {},
  failures: [],
} as const;
const Count = z.object({ count: z.coerce.number().max(5) });
const log = createRecordingLog();
const caller = { kind: "agent" } as const;
const input = {
  caller,
  query: new URLSearchParams("count=7"),
  headers: { count: "7" },
  readBody: async () => ({ count: 7 }),
  roomName: "room-a",
};
const faultAt = (...loc: string[]) => ({ code: "invalid-request", details: { faults: [{ loc }] } });

test("a fault is located in the query, the header or the body, wherever it is", async () => {
  const byQuery = queryFunction({ ...contract, query: Count, handle: () => empty(204) });
  await expect(byQuery.respond(input, {}, log)).rejects.toMatchObject(faultAt("query", "count"));

  const withHeaders = queryFunction({
    ...contract,
    query: noQuery,
    headers: Count,
    handle: () => empty(204),
  });
  await expect(withHeaders.respond(input, {}, log)).rejects.toMatchObject(faultAt("header", "count"));

  const limits = { maxBytes: 100, requiresJsonType: true };
  const byBody = bodyFunction({ ...contract, body: { schema: Count, ...limits }, handle: () => empty(204) });
  await expect(byBody.respond(input, {}, log)).rejects.toMatchObject(faultAt("body", "count"));
});

test("handle receives the caller, the validated values, the room name, the dependencies and the log", async () => {
  const received: unknown[] = [];
  const definition = queryFunction({
    ...contract,
    query: Count,
    headers: Count,
    handle(...given: unknown[]) {
      received.push(...given);
      return json(200, {});
    },
  });
  await definition.respond(
    { ...input, query: new URLSearchParams("count=3"), headers: { count: "4" } },
    { dependency: 1 },
    log,
  );
  expect(received).toEqual([
    { caller, query: { count: 3 }, headers: { count: 4 }, roomName: "room-a" },
    { dependency: 1 },
    log,
  ]);
});

test("a function without query parameters ignores the parameters that are sent", async () => {
  const definition = queryFunction({ ...contract, query: noQuery, handle: ({ query }) => json(200, query) });
  expect(await definition.respond(input, {}, log)).toEqual({ status: 200, body: {} });
});
