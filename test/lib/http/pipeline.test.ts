/** The HTTP pipeline: registration, authentication, input, failures and the log of each request. */
import { HttpRequest, InvocationContext } from "@azure/functions";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { Access, AccessChecks } from "../../../src/lib/auth/access.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import { type FunctionResponse, type HttpFunction, httpFunction } from "../../../src/lib/http/contract.ts";
import { type HttpDependencies, toHandler } from "../../../src/lib/http/pipeline.ts";
import { laxInteger } from "../../../src/lib/http/validation.ts";
import type { Log } from "../../../src/lib/log.ts";
import { registerHttpFunctions } from "../../../src/lib/triggers.ts";
import { createManualClock } from "../../../tools/simulators/memory/clock.ts";
import { openAccess } from "../../../tools/simulators/memory/open-access.ts";

const refuse = async () => {
  throw new GatewayError("unauthenticated", { challenge: "Test realm" });
};
const refuseAll: AccessChecks = { ...openAccess, application: refuse, agent: refuse, "event-sink": refuse };

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

/** Returns the response and the lines of the log; `json` is the parsed body. */
async function call(definition: HttpFunction<HttpDependencies>, given: Call = {}) {
  const { checks = openAccess, clock = createManualClock(), body } = given;
  const lines: Record<string, unknown>[] = [];
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  const length = { "content-type": "application/json", "content-length": String(body?.length ?? 0) };
  const request = new HttpRequest({
    method: given.method ?? "POST",
    url: given.url ?? "http://127.0.0.1/x/room-a",
    ...(given.query && { query: given.query }),
    params: { room_name: given.roomName ?? "room-a" },
    ...(body !== undefined && { body: { string: body } }),
    headers: { ...length, ...given.headers },
  });
  const response = await toHandler(definition, { accessChecks: checks, clock })(request, context);
  const { status, headers } = response;
  const text = typeof response.body === "string" ? response.body : undefined;
  return { status, headers, body: text, json: text === undefined ? undefined : JSON.parse(text), lines };
}

/** Returns a function that does this for every request. */
const doing = (
  handle: (log: Log) => FunctionResponse | Promise<FunctionResponse>,
  changes: { readonly access?: Access; readonly method?: "GET"; readonly answersHead?: boolean } = {},
) =>
  httpFunction({
    ...contract,
    ...changes,
    handle: (_, dependencies: HttpDependencies, log) => handle(log),
  });
const throwing = (error: unknown) =>
  doing(() => {
    throw error;
  });
const logging = (access: Access = "application") =>
  doing(
    (log) => {
      log.info("step");
      return { status: 204 };
    },
    { access },
  );

describe("Registration", () => {
  const registered = (definition: HttpFunction<HttpDependencies>) => {
    const registrations: unknown[] = [];
    const app = { http: (...registration: [string, object]) => void registrations.push(registration) };
    const dependencies = { accessChecks: openAccess, clock: createManualClock() };
    registerHttpFunctions(app, dependencies, { getThing: definition });
    return registrations;
  };

  test("uses the function's key, method and route, and no function key of the host", () => {
    const options = { route: "x/{room_name}", authLevel: "anonymous", handler: expect.any(Function) };
    expect(registered(logging())).toEqual([["getThing", { methods: ["POST"], ...options }]]);
  });

  test("includes HEAD if the contract allows it, with the response to GET but without its body", async () => {
    const definition = doing(() => ({ status: 200, body: { a: 1 } }), { method: "GET", answersHead: true });
    expect(registered(definition)).toMatchObject([["getThing", { methods: ["GET", "HEAD"] }]]);

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
});

describe("The response to a failure", () => {
  test.each([
    ["forbidden", 403, "Not allowed"],
    ["room-not-found", 404, undefined],
    ["platform-unavailable", 503, "The conferencing platform cannot be reached"],
  ] as const)("%s results in %i with the detail %j and hides its cause", async (code, status, detail) => {
    const error = new GatewayError(code, { retryAfterSeconds: 7, cause: new Error("secret") });
    const response = await call(throwing(error));
    const body = detail === undefined ? undefined : JSON.stringify({ detail });
    expect(response).toMatchObject({ status, body, headers: { "Retry-After": "7" } });
  });

  test("without a retry time and a challenge has neither header", async () => {
    const { headers } = await call(throwing(new GatewayError("forbidden")));
    expect(Object.keys(headers ?? {}).toSorted()).toEqual([
      "Cache-Control",
      "Content-Length",
      "Content-Type",
      "X-Correlation-Id",
      "X-Invocation-Id",
    ]);
  });

  test("with 422 contains up to 100 faults", async () => {
    const faults = Array.from({ length: 101 }, (_, index) => ({
      type: "missing",
      loc: ["query", index],
      msg: "Field required",
    }));
    const response = await call(throwing(new GatewayError("invalid-request", { faults })));
    expect([response.status, response.json]).toEqual([422, { detail: faults.slice(0, 100) }]);
  });
});

test("Every response has the IDs of its request and may not be cached, and a body has its length in bytes", async () => {
  const common = { "Cache-Control": "no-store", "X-Invocation-Id": "i-1", "X-Correlation-Id": "i-1" };
  const empty = await call(doing(() => ({ status: 204 })));
  expect([empty.status, empty.body, empty.headers]).toEqual([204, undefined, common]);
  const { status, body, headers } = await call(doing(() => ({ status: 200, body: { a: "Zürich 🏠" } })));
  expect([status, body]).toEqual([200, '{"a":"Zürich 🏠"}']);
  expect(headers).toEqual({ ...common, "Content-Type": "application/json", "Content-Length": "20" });
});

describe("Input", () => {
  const echo = httpFunction({
    ...contract,
    query: z.object({ max_vmr: laxInteger.optional() }),
    headers: z.object({ "x-count": laxInteger.optional() }),
    handle: (input) => ({ status: 200, body: input }),
  });
  const echoBody = httpFunction({
    ...contract,
    body: { schema: z.object({ name: z.string() }), requiresJsonType: true },
    handle: ({ body }) => ({ status: 200, body }),
  });

  test("is read after the access check, so an unknown caller gets 401 even with an invalid body", async () => {
    const refused = await call(echoBody, { checks: refuseAll, body: "{" });
    expect([refused.status, refused.json]).toEqual([401, { detail: "Not authenticated" }]);
    expect(refused.headers).toMatchObject({ "WWW-Authenticate": "Test realm" });
  });

  test("reaches the function validated, with the caller and the room name", async () => {
    const url = "http://127.0.0.1/x/a?max_vmr=12.0&other=1";
    expect((await call(echo, { url, headers: { "X-Count": "7", "X-Other": "x" } })).json).toEqual({
      caller: { kind: "application", id: "22222222-2222-4222-8222-222222222222" },
      query: { max_vmr: 12 },
      headers: { "x-count": 7 },
      roomName: "room-a",
    });
    expect((await call(echoBody, { body: '{"name":"x"}' })).json).toEqual({ name: "x" });
  });

  test.each([
    ["query", echo, { url: "http://127.0.0.1/x/a?max_vmr=abc" }, ["query", "max_vmr"]],
    ["header", echo, { headers: { "X-Count": "many" } }, ["header", "x-count"]],
    ["body", echoBody, { body: '{"name":5}' }, ["body", "name"]],
  ])("is 422 with a fault in the %s, which names its place", async (_, definition, given, loc) => {
    expect(await call(definition, given)).toMatchObject({ status: 422, json: { detail: [{ loc }] } });
  });

  test("is 422 with a repeated query parameter, although the host joins its values", async () => {
    // The real host passes the query as it was sent in the URL, and joined as well.
    const url = "http://127.0.0.1/x?max_vmr=1&max_vmr=2";
    const fault = { loc: ["query", "max_vmr"], msg: "Value error, max_vmr must be sent only once" };
    const response = await call(echo, { url, query: { max_vmr: "1,2" } });
    expect(response).toMatchObject({ status: 422, json: { detail: [fault] } });
  });

  test.each([
    ["a%2Fb%2fc", "a/b/c"],
    ["100% ü", "100% ü"],
  ])("with the host's room name %s is decoded to %s", async (parameter, roomName) => {
    expect((await call(echo, { roomName: parameter })).json).toMatchObject({ roomName });
  });
});

test("An unexpected failure results in 500 with a fixed text, and only the log contains its cause", async () => {
  const { status, body, lines } = await call(throwing(new TypeError("secret detail")));
  expect([status, body]).toEqual([500, '{"detail":"Internal Server Error"}']);
  expect(lines).toMatchObject([
    { level: "error", event: "request-failed", causes: [{ name: "TypeError", message: "secret detail" }] },
    { level: "information", event: "request", status: 500, code: "unexpected" },
  ]);
});

describe("The correlation ID", () => {
  test.each(["Order-2026_11.21", "x".repeat(128)])("is the caller's %s", async (id) => {
    const { headers } = await call(logging(), { headers: { "x-correlation-id": id } });
    expect(headers).toMatchObject({ "X-Correlation-Id": id });
  });

  test.each(["", "x".repeat(129), "/a", "a\tb", "é"])(
    "is the invocation's if the caller sends the unusable %j",
    async (id) => {
      const { headers } = await call(logging(), { headers: { "x-correlation-id": id } });
      expect(headers).toMatchObject({ "X-Correlation-Id": "i-1" });
    },
  );

  test.each([
    [204, logging(), {}],
    [401, logging(), { checks: refuseAll }],
    [503, throwing(new GatewayError("platform-unavailable")), {}],
  ])("of the caller is in a %i and in every log line of the request", async (status, definition, given) => {
    const response = await call(definition, { ...given, headers: { "x-correlation-id": "order-1" } });
    expect(response).toMatchObject({ status, headers: { "X-Correlation-Id": "order-1" } });
    expect(new Set(response.lines.map(({ correlationId }) => correlationId))).toEqual(new Set(["order-1"]));
  });
});

describe("The caller", () => {
  test.each<[Access, string]>([
    ["application", "22222222-2222-4222-8222-222222222222"],
    ["agent", "agent"],
    ["event-sink", "event-sink"],
    ["anyone", "anyone"],
  ])("of access %s is in every log line as %s", async (access, caller) => {
    const lines = ["step", "request"].map((event) => ({ event, caller }));
    expect((await call(logging(access))).lines).toMatchObject(lines);
  });

  test("is missing from the log if the access check refuses the request", async () => {
    const { lines } = await call(logging(), { checks: refuseAll });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toHaveProperty("caller");
  });

  test("of the event sink is logged with its pair of credentials in the line of the request only", async () => {
    const sink = async () => ({ kind: "event-sink", credentials: "previous" }) as const;
    const checks = { ...openAccess, "event-sink": sink };
    const { lines } = await call(logging("event-sink"), { checks });
    expect(lines[0]).not.toHaveProperty("credentials");
    expect(lines[1]).toMatchObject({ event: "request", credentials: "previous" });
    const failing = doing(() => Promise.reject(new GatewayError("forbidden")), { access: "event-sink" });
    const failed = await call(failing, { checks });
    expect(failed.lines).toMatchObject([{ event: "request", status: 403, credentials: "previous" }]);
  });
});

describe("The log of a request", () => {
  test("contains the fields that the function adds to it, and the response does not", async () => {
    const { lines, ...response } = await call(doing(() => ({ status: 204, logFields: { ignored: 3 } })));
    expect(lines).toMatchObject([{ event: "request", status: 204, ignored: 3 }]);
    expect(JSON.stringify(response)).not.toContain("ignored");
  });

  test("has one line with status and duration after a success", async () => {
    const clock = createManualClock();
    const slow = doing(() => {
      clock.advance(1.5);
      return { status: 200, body: {} };
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
      },
    ]);
  });

  test("has one line with code and reason after a refusal, whose reason the caller does not see", async () => {
    const refused = new GatewayError("unauthenticated", { reason: "expired" });
    const { lines, json: body } = await call(throwing(refused));
    const code = "unauthenticated";
    const line = { event: "request", status: 401, code, reason: "expired", durationMilliseconds: 0 };
    expect(lines).toEqual([expect.objectContaining(line)]);
    expect(body).toEqual({ detail: "Not authenticated" });
  });

  test("names the platform call that failed, as does the failure's own line", async () => {
    const failedCall = { platformMethod: "PATCH", platformStatus: 403 };
    const { lines } = await call(throwing(new GatewayError("platform-login-refused", { failedCall })));
    expect(lines).toMatchObject([
      { event: "platform-login-refused", ...failedCall, causes: [{ name: "GatewayError" }] },
      { event: "request", code: "platform-login-refused", ...failedCall },
    ]);
  });

  test.each([
    ["an error", "error", "platform-unavailable"],
    ["a warning", "warning", "unauthenticated"],
  ] as const)("contains %s with the chain of causes (%s: %s)", async (_, level, code) => {
    const { lines } = await call(throwing(new GatewayError(code, { cause: new TypeError("reset") })));
    expect(lines).toMatchObject([
      { level, event: code },
      { level: "information", event: "request", code, durationMilliseconds: 0 },
    ]);
    expect(lines[0]?.["causes"]).toContainEqual(expect.objectContaining({ message: "reset" }));
  });
});
