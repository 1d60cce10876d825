/** What makes an HTTP function: its input is checked, and each fault says where it stands. */
import { expect, test } from "vitest";
import { z } from "zod";
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
const input = { query: { count: "7" }, readBody: async () => ({ count: 7 }), roomName: "room-a" };
const faultAt = (...loc: string[]) => ({ code: "invalid-request", details: { faults: [{ loc }] } });

test("a fault of a query is told with the query, one of a body with the body", async () => {
  const byQuery = queryFunction({ ...contract, query: Count, handle: () => empty(204) });
  await expect(byQuery.respond(input, {}, log)).rejects.toMatchObject(faultAt("query", "count"));

  const limits = { maxBytes: 100, requiresJsonType: true };
  const byBody = bodyFunction({ ...contract, body: { schema: Count, ...limits }, handle: () => empty(204) });
  await expect(byBody.respond(input, {}, log)).rejects.toMatchObject(faultAt("body", "count"));
});

test("the handler gets the checked value, the room's name, what it needs and the log", async () => {
  const asked: unknown[] = [];
  const definition = queryFunction({
    ...contract,
    query: Count,
    handle(...given: unknown[]) {
      asked.push(...given);
      return json(200, {});
    },
  });
  await definition.respond({ ...input, query: { count: "3" } }, { need: 1 }, log);
  expect(asked).toEqual([{ query: { count: 3 }, roomName: "room-a" }, { need: 1 }, log]);
});

test("without a query of its own a function ignores what it is sent", async () => {
  const definition = queryFunction({ ...contract, query: noQuery, handle: ({ query }) => json(200, query) });
  expect(await definition.respond(input, {}, log)).toEqual({ status: 200, body: {} });
});
