/** The HTTP pipeline: access check, input, response, failures and the log of each request. */
import { HttpRequest, InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Access, AccessChecks } from "../../../src/lib/auth/access.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import { type FunctionResponse, type HttpFunction, httpFunction } from "../../../src/lib/http/contract.ts";
import { exposedHeaders, type HttpDependencies, toHandler } from "../../../src/lib/http/pipeline.ts";
import { laxInteger } from "../../../src/lib/http/validation.ts";
import { createManualClock } from "../../../tools/simulators/memory/clock.ts";
import { openAccess } from "../../../tools/simulators/memory/open-access.ts";

const refused = new GatewayError("unauthenticated", { challenge: "Test realm", reason: "expired" });
const clock = createManualClock();
const accessChecks: AccessChecks = {
  ...openAccess,
  application: async (...given) => {
    clock.advance(0.5);
    return openAccess.application(...given);
  },
  agent: async () => Promise.reject(refused),
  "event-sink": async () => ({ kind: "event-sink", credentials: "previous" }),
};

/** Calls a function that takes a second, after an access check of half a second, and then does this. */
async function call(handle: HttpFunction<HttpDependencies>["handle"], sent: Partial<Sent> = {}) {
  const { access = "application", method = "POST", url = "/x?max_vmr=3", body = '{"name":"x"}' } = sent;
  const lines: Record<string, unknown>[] = [];
  const context = new InvocationContext({
    functionName: "test",
    invocationId: "i-1",
    logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
  });
  const length = { "content-type": "application/json", "content-length": String(body.length) };
  const request = new HttpRequest({
    method,
    url: `http://127.0.0.1${url}`,
    // The host passes the query as it was sent in the URL, and joined as well.
    query: { max_vmr: "1,2" },
    params: { room_name: sent.roomName ?? "room-a" },
    ...(method !== "HEAD" && { body: { string: body } }),
    headers: { ...length, ...sent.headers },
  });
  const definition = httpFunction({
    method: "POST",
    route: "x/{room_name}",
    access,
    summary: "x",
    description: "x",
    query: z.object({ max_vmr: laxInteger }),
    headers: z.object({ "x-count": laxInteger.optional() }),
    ...(method !== "HEAD" && { body: { schema: z.object({ name: z.string() }), requiresJsonType: true } }),
    responses: { 204: null },
    failures: [],
    handle: async (input, dependencies: HttpDependencies, log) => {
      clock.advance(1);
      return handle(input, dependencies, log);
    },
  });
  const {
    status,
    headers,
    body: text,
  } = await toHandler(definition, { accessChecks, clock })(request, context);
  const json: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
  return { status, headers, text, json, lines };
}
interface Sent {
  readonly access: Access;
  readonly method: string;
  readonly url: string;
  readonly roomName: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}
const throwing = (error: unknown) => async () => Promise.reject(error);

const common = { "Cache-Control": "no-store", "X-Invocation-Id": "i-1", "X-Correlation-Id": "i-1" };
const typed = { ...common, "Content-Type": "application/json" };
const caller = "22222222-2222-4222-8222-222222222222";
const ids = { function: "test", invocationId: "i-1", correlationId: "i-1", caller };
const line = { level: "information", event: "request", ...ids, durationMilliseconds: 1500 };

test.each<[string, string, FunctionResponse, string | undefined, object]>([
  ["POST", "without a body", { status: 204 }, undefined, common],
  [
    "POST",
    "with a body",
    { status: 200, body: { a: "ü🏠" } },
    '{"a":"ü🏠"}',
    { ...typed, "Content-Length": "14" },
  ],
  ["HEAD", "with a body", { status: 200, body: { a: 1 } }, undefined, typed],
  [
    "POST",
    "with a header",
    { status: 204, headers: { "X-Build": "1" } },
    undefined,
    { ...common, "X-Build": "1" },
  ],
  ["POST", "with a field for the log", { status: 204, logFields: { ignored: 3 } }, undefined, common],
])(
  "The response to a %s %s has the IDs of its request, and its log has one line",
  async (method, _, result, text, headers) => {
    const { lines, ...response } = await call(() => result, { method });
    expect(response).toMatchObject({ status: result.status, text });
    expect(response.headers).toEqual(headers);
    expect(lines).toEqual([{ ...line, status: result.status, method, ...result.logFields }]);
  },
);

const failedCall = { platformMethod: "PATCH", platformStatus: 403 };
const cause = new TypeError("secret detail");
const faults = Array.from({ length: 101 }, (_, index) => ({
  type: "missing",
  loc: [index],
  msg: "Field required",
}));
const causes = expect.arrayContaining([
  expect.objectContaining({ name: "TypeError", message: "secret detail" }),
]);

interface Failure {
  readonly error: object;
  readonly status: number;
  readonly detail?: unknown;
  readonly headers?: object;
  /** The line about the failure, if there is one besides that of the request. */
  readonly failureLine?: object;
  /** What the line of the request has in addition. */
  readonly requestFields?: object;
}
test.each<Failure>([
  {
    error: refused,
    status: 401,
    detail: "Not authenticated",
    headers: { "WWW-Authenticate": "Test realm" },
    requestFields: { reason: "expired" },
  },
  {
    error: new GatewayError("forbidden", { cause }),
    status: 403,
    detail: "Not allowed",
    failureLine: { level: "warning", causes },
  },
  {
    error: new GatewayError("room-not-found", { retryAfterSeconds: 7 }),
    status: 404,
    headers: { "Retry-After": "7" },
  },
  { error: new GatewayError("invalid-request", { faults }), status: 422, detail: faults.slice(0, 100) },
  {
    error: new GatewayError("platform-login-refused", { failedCall, cause }),
    status: 503,
    detail: "The conferencing platform cannot be used at the moment",
    failureLine: { level: "error", ...failedCall, causes },
    requestFields: failedCall,
  },
  {
    error: new GatewayError("invalid-request", {
      faults,
      cause: new GatewayError("platform-rejected", { failedCall, cause }),
    }),
    status: 422,
    detail: faults.slice(0, 100),
    failureLine: { level: "warning", ...failedCall },
    requestFields: failedCall,
  },
  {
    error: cause,
    status: 500,
    detail: "Internal Server Error",
    failureLine: { level: "error", event: "request-failed", causes },
    requestFields: { code: "unexpected" },
  },
])(
  "The failure “$error.message” of a function results in $status, and only the log has its cause",
  async ({ error, status, detail, headers, failureLine, requestFields }) => {
    const { lines, ...response } = await call(throwing(error));
    expect(response).toMatchObject({ status, json: detail && { detail } });
    const length = Buffer.byteLength(JSON.stringify({ detail }));
    const ofBody = detail ? { ...typed, "Content-Length": String(length) } : common;
    expect(response.headers).toStrictEqual({ ...ofBody, ...headers });
    const { code } = { code: "unexpected", ...error };
    const ofFailure = failureLine ? [{ ...ids, event: code, ...failureLine }] : [];
    expect(lines).toMatchObject([...ofFailure, { ...line, status, code, ...requestFields }]);
    expect(JSON.stringify(response)).not.toMatch(/secret|expired/);
  },
);

test.each([
  ["a%2Fb%2fc", "a/b/c"],
  ["100% ü", "100% ü"],
])(
  "Input reaches the function validated, with the caller and the room name %s as %s",
  async (sent, roomName) => {
    const headers = { "X-Count": "7", "X-Other": "x" };
    const echo = (body: object) => ({ status: 200, body });
    const { json } = await call(echo, { url: "/x?max_vmr=12.0&other=1", roomName: sent, headers });
    const validated = { query: { max_vmr: 12 }, headers: { "x-count": 7 }, body: { name: "x" } };
    expect(json).toEqual({
      caller: { kind: "application", id: caller },
      ...validated,
      roomName,
      hasDroppedJson: false,
    });
  },
);

test.each<[string, Partial<Sent>, unknown[]]>([
  ["a faulty parameter", { url: "/x?max_vmr=abc" }, ["query", "max_vmr"]],
  ["a parameter sent twice", { url: "/x?max_vmr=1&max_vmr=2" }, ["query", "max_vmr"]],
  ["a faulty header", { headers: { "X-Count": "many" } }, ["header", "x-count"]],
  ["a faulty field", { body: '{"name":5}' }, ["body", "name"]],
])("Input with %s is 422 with one fault, and 401 for an unknown caller", async (_, sent, loc) => {
  const handle = throwing(new Error("the input is valid"));
  expect(await call(handle, sent)).toMatchObject({ status: 422, json: { detail: [{ loc }] } });
  const { status, lines } = await call(handle, { ...sent, access: "agent" });
  expect([status, lines.length]).toEqual([401, 1]);
  expect(lines[0]).not.toHaveProperty("caller");
});

test.each([
  ["Order-2026_11.21", "Order-2026_11.21"],
  ["x".repeat(128), "x".repeat(128)],
  ...["", "x".repeat(129), "/a", "a\tb", "é"].map((unusable): [string, string] => [unusable, "i-1"]),
])("With the correlation ID `%s`, response and log have %s", async (sent, id) => {
  for (const access of ["application", "agent"] as const) {
    const failing = throwing(new GatewayError("claim-failed"));
    const { headers, lines } = await call(failing, { access, headers: { "x-correlation-id": sent } });
    const forPages = access === "agent" && { "Access-Control-Expose-Headers": exposedHeaders };
    expect(headers).toMatchObject({ "X-Correlation-Id": id, ...forPages });
    expect(new Set(lines.map(({ correlationId }) => correlationId))).toEqual(new Set([id]));
  }
});

test.each<[Access, string, string?]>([
  ["application", caller],
  ["event-sink", "event-sink", "previous"],
  ["anyone", "anyone"],
])(
  "The caller of access %s is in every line as %s, its credentials in the last",
  async (access, name, credentials) => {
    for (const error of [undefined, new GatewayError("claim-failed")]) {
      const { lines } = await call(
        (_, _dependencies, log) => {
          log.info("step");
          if (error) throw error;
          return { status: 204 };
        },
        { access },
      );
      expect(new Set(lines.map((logged) => logged["caller"]))).toEqual(new Set([name]));
      expect(lines[0]).not.toHaveProperty("credentials");
      expect(lines.at(-1)?.["credentials"]).toBe(credentials);
    }
  },
);
