/** The HTTP pipeline: registration, authentication, input, failures and the log of each request. */
import { setTimeout as wait } from "node:timers/promises";
import { HttpRequest, InvocationContext } from "@azure/functions";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Access, AccessChecks } from "../../../src/lib/auth/access.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import type { HttpFunction } from "../../../src/lib/http/contract.ts";
import { type HttpDependencies, registerHttpFunctions, toHandler } from "../../../src/lib/http/handler.ts";
import { bodyFunction, empty, json, noQuery, queryFunction } from "../../../src/lib/http/http-function.ts";
import { laxInteger } from "../../../src/lib/http/lax-schemas.ts";
import { countCall } from "../../../src/lib/outbound-calls.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { openAccess } from "../../support/open-access.ts";

const refuse = async () => {
  throw new GatewayError("unauthenticated", { challenge: "Test realm" });
};
const refuseAll: AccessChecks = {
  ...openAccess,
  application: refuse,
  agent: refuse,
  "event-sink": refuse,
};

const contract = {
  method: "POST",
  route: "x/{room_name}",
  access: "application",
  summary: "x",
  description: "x",
  responses: { 204: null },
  failures: [],
} as const;

interface Call {
  readonly checks?: AccessChecks;
  readonly url?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly roomName?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clock?: ReturnType<typeof createManualClock>;
}

async function call(definition: HttpFunction<HttpDependencies>, given: Call = {}) {
  const { checks = openAccess, url = "http://127.0.0.1/x/room-a", roomName = "room-a", body } = given;
  const lines: Record<string, unknown>[] = [];
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  const request = new HttpRequest({
    method: given.method ?? "POST",
    url,
    ...(given.query && { query: given.query }),
    params: { room_name: roomName },
    ...(body !== undefined && { body: { string: body } }),
    headers: {
      "content-type": "application/json",
      "content-length": String(body?.length ?? 0),
      ...given.headers,
    },
  });
  const { clock = createManualClock() } = given;
  const response = await toHandler(definition, { accessChecks: checks, clock })(request, context);
  const { status, headers, body: written } = response;
  return { status, headers, body: typeof written === "string" ? written : undefined, lines };
}

const throwing = (error: unknown) =>
  queryFunction({
    ...contract,
    query: noQuery,
    handle() {
      throw error;
    },
  });

test("functions are registered under their key with their method and route, without a function key of the host", () => {
  const registered: unknown[] = [];
  const app = { http: (name: string, options: object) => void registered.push([name, options]) };
  const dependencies = { accessChecks: openAccess, clock: createManualClock() };
  registerHttpFunctions(app, dependencies, { getThing: throwing(new Error("x")) });
  expect(registered).toEqual([
    [
      "getThing",
      { methods: ["POST"], route: "x/{room_name}", authLevel: "anonymous", handler: expect.any(Function) },
    ],
  ]);
});

test("a function that answers HEAD is registered for it, and its response to HEAD is that to GET without the body", async () => {
  const registered: unknown[] = [];
  const app = {
    http: (_: string, { methods }: { methods: readonly string[] }) => void registered.push(methods),
  };
  const definition = queryFunction({
    ...contract,
    method: "GET",
    answersHead: true,
    query: noQuery,
    handle: () => json(200, { a: 1 }),
  });
  registerHttpFunctions(app, { accessChecks: openAccess, clock: createManualClock() }, { definition });
  expect(registered).toEqual([["GET", "HEAD"]]);

  const { status, body, headers, lines } = await call(definition, { method: "HEAD" });
  expect([status, body]).toEqual([200, undefined]);
  expect(headers).toEqual({
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "X-Invocation-Id": "i-1",
    "X-Correlation-Id": "i-1",
  });
  expect(lines).toMatchObject([{ event: "request", method: "HEAD", status: 200 }]);
});

test("a response has the status and body that the function returns, and the invocation id", async () => {
  const definition = queryFunction({ ...contract, query: noQuery, handle: () => json(200, { a: 1 }) });
  const { status, body, headers } = await call(definition);

  expect([status, body]).toEqual([200, '{"a":1}']);
  expect(headers).toEqual({
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": "7",
    "X-Invocation-Id": "i-1",
    "X-Correlation-Id": "i-1",
  });
});

test("a response without a body has only the headers of every response", async () => {
  const definition = queryFunction({ ...contract, query: noQuery, handle: () => empty(204) });
  const { status, body, headers } = await call(definition);
  expect([status, body]).toEqual([204, undefined]);
  expect(headers).toEqual({
    "Cache-Control": "no-store",
    "X-Invocation-Id": "i-1",
    "X-Correlation-Id": "i-1",
  });
});

describe("authentication", () => {
  const strict = bodyFunction({
    ...contract,
    body: { schema: z.object({ name: z.string() }), maxBytes: 5, requiresJsonType: true },
    handle: () => empty(204),
  });

  test("comes first: 401, whatever else is wrong with the request", async () => {
    for (const body of [undefined, "{", "x".repeat(100)]) {
      const refused = await call(strict, { checks: refuseAll, ...(body !== undefined && { body }) });
      expect([refused.status, refused.body]).toEqual([401, '{"detail":"Not authenticated"}']);
      expect(refused.headers).toMatchObject({ "WWW-Authenticate": "Test realm" });
    }
  });

  test.each<Access>(["application", "agent", "event-sink", "anyone"])(
    "access %s runs only its own check",
    async (access) => {
      const called: string[] = [];
      const check = (name: Access) => async () => {
        called.push(name);
        return { kind: "anyone" } as const;
      };
      const checks: AccessChecks = {
        application: check("application"),
        agent: check("agent"),
        "event-sink": check("event-sink"),
        anyone: check("anyone"),
      };
      const definition = queryFunction({ ...contract, access, query: noQuery, handle: () => empty(204) });
      await call(definition, { checks });
      expect(called).toEqual([access]);
    },
  );

  test("returns 500 if a check fails unexpectedly", async () => {
    const broken = async () => {
      throw new TypeError("broken");
    };
    expect((await call(strict, { checks: { ...openAccess, application: broken } })).status).toBe(500);
  });
});

describe("input", () => {
  const echo = queryFunction({
    ...contract,
    query: z.object({ max_vmr: laxInteger.optional() }),
    handle: ({ query, roomName }) => json(200, { query, roomName }),
  });

  const withHeaders = queryFunction({
    ...contract,
    query: noQuery,
    headers: z.object({ "x-count": laxInteger.optional() }),
    handle: ({ caller, headers }) => json(200, { caller, headers }),
  });

  test("a query is validated before the function handles it", async () => {
    const valid = await call(echo, { url: "http://127.0.0.1/x/a?max_vmr=12.0&other=1" });
    expect(valid.body).toContain('"max_vmr":12');
    expect((await call(echo, { url: "http://127.0.0.1/x/a?max_vmr=abc" })).status).toBe(422);
  });

  test("a repeated query parameter is 422, although the host joins its values", async () => {
    // The real host passes the query as it was sent in the URL, and joined as well.
    const url = "http://127.0.0.1/x?max_vmr=1&max_vmr=2";
    const { status, body } = await call(echo, { url, query: { max_vmr: "1,2" } });
    expect(status).toBe(422);
    expect(JSON.parse(body ?? "")).toMatchObject({
      detail: [{ loc: ["query", "max_vmr"], msg: "Value error, max_vmr must be sent only once" }],
    });
  });

  test.each([
    ["a%2Fb%2fc", "a/b/c"],
    ["a b", "a b"],
    ["100%", "100%"],
    ["ü", "ü"],
  ])("the host's room name %s is decoded to %s", async (parameter, roomName) => {
    const { body } = await call(echo, { roomName: parameter });
    expect(JSON.parse(body ?? "")).toMatchObject({ roomName });
  });

  test("the caller and the validated headers reach the function, whatever the case of a header's name", async () => {
    const { caller, headers } = JSON.parse(
      (await call(withHeaders, { headers: { "X-Count": "7", "X-Other": "x" } })).body ?? "",
    );
    expect(caller).toEqual({ kind: "application", id: "22222222-2222-4222-8222-222222222222" });
    expect(headers).toEqual({ "x-count": 7 });
  });

  test("an invalid header is 422 and is located in the header", async () => {
    const { status, body } = await call(withHeaders, { headers: { "X-Count": "many" } });
    expect(status).toBe(422);
    expect(JSON.parse(body ?? "")).toMatchObject({
      detail: [{ type: "int_parsing", loc: ["header", "x-count"], input: "many" }],
    });
  });

  test("a body is validated before the function handles it", async () => {
    const strict = bodyFunction({
      ...contract,
      body: { schema: z.object({ name: z.string() }), maxBytes: 100, requiresJsonType: true },
      handle: ({ body }) => json(200, body),
    });
    expect((await call(strict, { body: '{"name":"x"}' })).body).toBe('{"name":"x"}');
    expect((await call(strict, { body: '{"name":5}' })).status).toBe(422);
  });
});

describe("failures", () => {
  test("an expected failure has its status, text and headers", async () => {
    const { status, body, headers } = await call(
      throwing(new GatewayError("storage-unavailable", { retryAfterSeconds: 7 })),
    );
    expect([status, body]).toEqual([503, '{"detail":"The room queues cannot be reached"}']);
    expect(headers).toMatchObject({ "Retry-After": "7", "X-Invocation-Id": "i-1" });
  });

  test("an unexpected error is 500 with a fixed text, and only the log contains its cause", async () => {
    const { status, body, lines } = await call(throwing(new TypeError("secret detail")));
    expect([status, body]).toEqual([500, '{"detail":"Internal Server Error"}']);
    expect(JSON.stringify(lines)).toContain("secret detail");
    expect(lines).toContainEqual(expect.objectContaining({ level: "error", event: "request-failed" }));
  });

  test.each(["thrown text", 5, null, undefined])("the thrown value %j is 500", async (thrown) => {
    expect((await call(throwing(thrown))).status).toBe(500);
  });
});

describe("the correlation ID", () => {
  const logging = queryFunction({
    ...contract,
    query: noQuery,
    handle(_input, _dependencies, log) {
      log.info("step");
      return empty(204);
    },
  });
  const headers = { "x-correlation-id": "order-1" };

  test("of the caller is in the response and in every log line, after any outcome", async () => {
    const outcomes = [
      [logging, {}],
      [logging, { checks: refuseAll }],
      [throwing(new GatewayError("room-not-found")), {}],
      [throwing(new GatewayError("invalid-request", { faults: [] })), {}],
      [throwing(new TypeError("broken")), {}],
      [throwing(new GatewayError("platform-unavailable")), {}],
    ] as const;
    const statuses: unknown[] = [];
    for (const [definition, given] of outcomes) {
      const { status, lines, ...response } = await call(definition, { ...given, headers });
      statuses.push(status);
      expect(response.headers).toMatchObject({ "X-Correlation-Id": "order-1" });
      expect(lines.map(({ correlationId }) => correlationId)).toEqual(lines.map(() => "order-1"));
    }
    expect(statuses).toEqual([204, 401, 404, 422, 500, 503]);
  });

  test("is the invocation ID if the caller's is not usable", async () => {
    const { headers: received, lines } = await call(logging, {
      headers: { "x-correlation-id": "two words" },
    });
    expect(received).toMatchObject({ "X-Correlation-Id": "i-1" });
    expect(lines.map(({ correlationId }) => correlationId)).toEqual(["i-1", "i-1"]);
  });
});

describe("the caller", () => {
  const logging = (access: Access) =>
    queryFunction({
      ...contract,
      access,
      query: noQuery,
      handle(_input, _dependencies, log) {
        log.info("step");
        return empty(204);
      },
    });

  test.each<[Access, string]>([
    ["application", "22222222-2222-4222-8222-222222222222"],
    ["agent", "agent"],
    ["event-sink", "event-sink"],
    ["anyone", "anyone"],
  ])("of access %s is in every log line as %s", async (access, caller) => {
    const { lines } = await call(logging(access));
    expect(lines).toMatchObject([
      { event: "step", caller },
      { event: "request", caller },
    ]);
  });

  test("is missing from the log if the access check refuses the request", async () => {
    const { lines } = await call(logging("application"), { checks: refuseAll });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toHaveProperty("caller");
  });

  test.each(["current", "previous"] as const)(
    "of the event sink is logged with its %s credentials in the line of the request only",
    async (credentials) => {
      const checks: AccessChecks = {
        ...openAccess,
        "event-sink": async () => ({ kind: "event-sink", credentials }),
      };
      const { lines } = await call(logging("event-sink"), { checks });
      expect(lines).toEqual([
        expect.not.objectContaining({ credentials }),
        expect.objectContaining({ event: "request", credentials }),
      ]);
    },
  );
});

describe("the log of a request", () => {
  test("contains the fields that the function adds to it, and the response does not", async () => {
    const adding = queryFunction({
      ...contract,
      query: noQuery,
      handle: () => ({ ...empty(204), logFields: { ignored: 3 } }),
    });
    const { lines, ...response } = await call(adding);
    expect(lines).toMatchObject([{ event: "request", status: 204, ignored: 3 }]);
    expect(JSON.stringify(response)).not.toContain("ignored");
  });

  test("states how many calls went to platform and storage, and how long they took", async () => {
    const calling = queryFunction({
      ...contract,
      query: noQuery,
      async handle() {
        await countCall("platform", async () => wait(30));
        await countCall("storage", async () => wait(1));
        await countCall("storage", async () => wait(1));
        return empty(204);
      },
    });
    const { lines } = await call(calling);
    expect(lines).toMatchObject([{ platformCalls: 1, storageCalls: 2 }]);
    const { platformMilliseconds, storageMilliseconds } = lines[0] ?? {};
    expect(platformMilliseconds).toBeGreaterThanOrEqual(29);
    expect(storageMilliseconds).toBeLessThan(Number(platformMilliseconds));
  });

  test("is one line with status and duration after a success", async () => {
    const clock = createManualClock();
    const slow = queryFunction({
      ...contract,
      query: noQuery,
      handle() {
        clock.advance(1.5);
        return json(200, {});
      },
    });
    expect((await call(slow, { clock })).lines).toEqual([
      {
        level: "information",
        event: "request",
        function: "test",
        invocationId: "i-1",
        correlationId: "i-1",
        caller: "22222222-2222-4222-8222-222222222222",
        status: 200,
        durationMilliseconds: 1500,
        method: "POST",
        platformCalls: 0,
        platformMilliseconds: 0,
        storageCalls: 0,
        storageMilliseconds: 0,
      },
    ]);
  });

  test("is one line with the failure's code after a failure without a cause", async () => {
    for (const [code, status] of [
      ["room-not-found", 404],
      ["unauthenticated", 401],
    ] as const) {
      const { lines } = await call(throwing(new GatewayError(code)));
      expect(lines).toEqual([
        expect.objectContaining({ event: "request", status, code, durationMilliseconds: 0 }),
      ]);
    }
  });

  test("contains an error with the chain of causes if the failure is not the caller's", async () => {
    const cause = new TypeError("reset");
    for (const code of ["platform-rejected", "platform-unavailable"] as const) {
      const { lines } = await call(throwing(new GatewayError(code, { cause })));
      expect(lines).toMatchObject([
        { level: "error", event: code, causes: [{ message: code }, { message: "reset" }] },
        { event: "request", code, durationMilliseconds: 0 },
      ]);
    }
  });

  test("contains a warning if the failure is the caller's and has a cause", async () => {
    const cause = new Error("not verified");
    const { lines } = await call(throwing(new GatewayError("unauthenticated", { cause })));
    expect(lines).toMatchObject([
      { level: "warning", event: "unauthenticated", causes: [{ message: "not verified" }] },
      { level: "information", event: "request", status: 401, code: "unauthenticated" },
    ]);
  });

  test("distinguishes an unexpected error from every expected failure", async () => {
    const { lines } = await call(throwing(new TypeError("broken")));
    expect(lines).toMatchObject([
      { level: "error", event: "request-failed", causes: [{ name: "TypeError", message: "broken" }] },
      { level: "information", event: "request", status: 500, code: "unexpected" },
    ]);
  });
});
