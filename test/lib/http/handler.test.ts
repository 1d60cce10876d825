/** The way of every request: authenticate first, check, handle; and every failure has its fixed answer. */
import { type HttpHandler, HttpRequest, InvocationContext } from "@azure/functions";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Access, AccessChecks } from "../../../src/lib/auth/access.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import type { HttpFunction } from "../../../src/lib/http/contract.ts";
import { registerHttpFunctions, toHandler } from "../../../src/lib/http/handler.ts";
import { bodyFunction, empty, json, noQuery, queryFunction } from "../../../src/lib/http/http-function.ts";
import { laxInteger } from "../../../src/lib/http/lax-schemas.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const refuse = async () => {
  throw new GatewayError("unauthenticated", { challenge: "Test realm" });
};
const allow = async () => undefined;
const everybody: AccessChecks = { application: allow, agent: allow, "event-sink": allow, anyone: allow };
const nobody: AccessChecks = { application: refuse, agent: refuse, "event-sink": refuse, anyone: allow };

const contract = {
  method: "POST",
  route: "x/{room_name}",
  access: "application",
  summary: "x",
  description: "x",
  failures: [],
} as const;

interface Call {
  readonly checks?: AccessChecks;
  readonly url?: string;
  readonly params?: Record<string, string>;
  readonly body?: string;
}
async function call(definition: HttpFunction<Parameters<typeof toHandler>[1]>, given: Call = {}) {
  const {
    checks = everybody,
    url = "http://127.0.0.1/x/room-a",
    params = { room_name: "room-a" },
    body,
  } = given;
  const lines: Record<string, unknown>[] = [];
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  const request = new HttpRequest({
    method: "POST",
    url,
    params,
    ...(body !== undefined && { body: { string: body } }),
    headers: { "content-type": "application/json", "content-length": String(body?.length ?? 0) },
  });
  const handler: HttpHandler = toHandler(definition, { accessChecks: checks, clock: createManualClock() });
  const { status, headers, body: written } = await handler(request, context);
  return { status, headers, body: typeof written === "string" ? written : undefined, lines };
}
const throwing = (error: unknown) =>
  queryFunction({
    ...contract,
    query: noQuery,
    responses: { 204: null },
    handle() {
      throw error;
    },
  });

test("a body is written as JSON with its type and its length in octets, and no cache may keep it", async () => {
  const definition = queryFunction({
    ...contract,
    query: noQuery,
    responses: { 200: z.object({}) },
    handle: () => json(200, { name: "Zürich 🏠" }),
  });
  const { status, body, headers } = await call(definition);

  expect([status, body]).toEqual([200, '{"name":"Zürich 🏠"}']);
  expect(headers).toEqual({
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength('{"name":"Zürich 🏠"}')),
    "X-Invocation-Id": "i-1",
  });
});

test("an empty answer has no body and no content type", async () => {
  const definition = queryFunction({
    ...contract,
    query: noQuery,
    responses: { 204: null },
    handle: () => empty(204),
  });
  const { status, body, headers } = await call(definition);
  expect([status, body]).toEqual([204, undefined]);
  expect(headers).toEqual({ "Cache-Control": "no-store", "X-Invocation-Id": "i-1" });
});

describe("authentication goes first", () => {
  const strict = bodyFunction({
    ...contract,
    body: { schema: z.object({ name: z.string() }), maxBytes: 5, requiresJsonType: true },
    responses: { 204: null },
    handle: () => empty(204),
  });

  test("401 whatever else is wrong with a request", async () => {
    for (const body of [undefined, "{", "x".repeat(100)]) {
      const refused = await call(strict, { checks: nobody, ...(body !== undefined && { body }) });
      expect([refused.status, refused.body]).toEqual([401, '{"detail":"Not authenticated"}']);
      expect(refused.headers).toMatchObject({ "WWW-Authenticate": "Test realm" });
    }
  });

  test.each<Access>(["application", "agent", "event-sink", "anyone"])(
    "access %s asks its own check",
    async (access) => {
      const asked: string[] = [];
      const check = (name: string) => async () => void asked.push(name);
      const checks = {
        application: check("application"),
        agent: check("agent"),
        "event-sink": check("event-sink"),
        anyone: check("anyone"),
      };
      await call(
        queryFunction({
          ...contract,
          access,
          query: noQuery,
          responses: { 204: null },
          handle: () => empty(204),
        }),
        { checks },
      );
      expect(asked).toEqual([access]);
    },
  );

  test("a check that fails unexpectedly lets nobody in: 500", async () => {
    const broken = async () => {
      throw new TypeError("broken");
    };
    expect((await call(strict, { checks: { ...everybody, application: broken } })).status).toBe(500);
  });
});

describe("failures", () => {
  test.each([
    ["forbidden", 403, '{"detail":"Not allowed"}'],
    ["room-not-found", 404, undefined],
    ["pool-exhausted", 404, undefined],
    ["length-required", 411, '{"detail":"Send the body with a Content-Length header"}'],
    ["body-too-large", 413, '{"detail":"The body is too large"}'],
    ["platform-rejected", 502, '{"detail":"The conferencing platform rejected the request"}'],
    ["platform-unavailable", 503, '{"detail":"The conferencing platform cannot be reached"}'],
    ["platform-timeout", 503, '{"detail":"The conferencing platform did not respond in time"}'],
    ["storage-unavailable", 503, '{"detail":"The room queues cannot be reached"}'],
    ["identity-provider-unavailable", 503, '{"detail":"The token cannot be checked at the moment"}'],
    ["contact-centre-unavailable", 503, '{"detail":"The token cannot be checked at the moment"}'],
    ["claim-failed", 503, '{"detail":"Could not allocate a room; retry the request"}'],
    ["bulk-delete-incomplete", 503, '{"detail":"Not all rooms have been deleted; retry the request"}'],
  ] as const)("%s is %i", async (code, status, body) => {
    const answer = await call(
      throwing(new GatewayError(code, { retryAfterSeconds: 7, cause: new Error("secret") })),
    );
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(answer.headers).toMatchObject({ "Retry-After": "7" });
  });

  test("a failure that names no time and no challenge has neither header", async () => {
    const { headers } = await call(throwing(new GatewayError("forbidden")));
    expect(Object.keys(headers ?? {}).toSorted()).toEqual([
      "Cache-Control",
      "Content-Length",
      "Content-Type",
      "X-Invocation-Id",
    ]);
  });

  test("422 carries all its faults", async () => {
    const faults = ["a", "b"].map((name) => ({
      type: "missing",
      loc: ["query", name],
      msg: "Field required",
    }));
    const answer = await call(throwing(new GatewayError("invalid-request", { faults })));
    expect([answer.status, answer.body]).toEqual([422, JSON.stringify({ detail: faults })]);
  });

  test("an unexpected error is 500 with a fixed text, and its cause is in the log alone", async () => {
    const answer = await call(throwing(new TypeError("secret detail")));
    expect([answer.status, answer.body]).toEqual([500, '{"detail":"Internal Server Error"}']);
    expect(JSON.stringify(answer.lines)).toContain("secret detail");
    expect(answer.lines).toContainEqual(expect.objectContaining({ level: "error", event: "request-failed" }));
  });

  test.each(["thrown text", 5, null, undefined])("a thrown %j is 500 too", async (thrown) => {
    expect((await call(throwing(thrown))).status).toBe(500);
  });

  test("each request is logged once with status, failure and duration", async () => {
    const { lines } = await call(throwing(new GatewayError("room-not-found")));
    expect(lines).toEqual([
      expect.objectContaining({
        event: "request",
        status: 404,
        code: "room-not-found",
        durationMilliseconds: 0,
      }),
    ]);
  });
});

describe("input", () => {
  const echo = queryFunction({
    ...contract,
    query: z.object({ max_vmr: laxInteger.optional() }),
    responses: { 200: z.object({}) },
    handle: ({ query, roomName }) => json(200, { query, roomName }),
  });

  test("the query is checked before the handler runs", async () => {
    expect((await call(echo, { url: "http://127.0.0.1/x/a?max_vmr=12.0&other=1" })).body).toContain(
      '"max_vmr":12',
    );
    expect((await call(echo, { url: "http://127.0.0.1/x/a?max_vmr=abc" })).status).toBe(422);
  });

  test.each([
    ["a%2Fb%2fc", "a/b/c"],
    ["a b", "a b"],
    ["100%", "100%"],
    ["ü", "ü"],
  ])("the room name %s of the host is %s", async (parameter, roomName) => {
    const { body } = await call(echo, { params: { room_name: parameter } });
    expect(JSON.parse(body ?? "")).toMatchObject({ roomName });
  });

  test("a body is checked before the handler runs", async () => {
    const strict = bodyFunction({
      ...contract,
      body: { schema: z.object({ name: z.string() }), maxBytes: 100, requiresJsonType: true },
      responses: { 200: z.object({}) },
      handle: ({ body }) => json(200, body),
    });
    expect((await call(strict, { body: '{"name":"x"}' })).body).toBe('{"name":"x"}');
    expect((await call(strict, { body: '{"name":5}' })).status).toBe(422);
  });
});

test("functions are registered under their key, each with its own method and route, and no key of the host's", () => {
  const registered: unknown[] = [];
  const app = { http: (name: string, options: object) => void registered.push([name, options]) };
  const needs = { accessChecks: everybody, clock: createManualClock() };
  registerHttpFunctions(app, needs, { getThing: throwing(new Error("x")) });
  expect(registered).toEqual([
    [
      "getThing",
      { methods: ["POST"], route: "x/{room_name}", authLevel: "anonymous", handler: expect.any(Function) },
    ],
  ]);
});
