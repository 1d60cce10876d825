/** What each response becomes: the class and the text of an error, the retries before it, and no secrets. */
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import { GatewayError, UnavailableError } from "../src/index.ts";
import { createWidgetClient } from "../src/widget.ts";

const ofGateway = { "x-invocation-id": "77777777-7777-4777-8777-777777777777" };
const after = (status: number, retryAfter: string) => ({ status, headers: { "retry-after": retryAfter } });
/** A date by the clock of the scripted gateway's client. */
const date = (seconds: number) => new Date(Date.UTC(2026, 0, 15, 9, 0, seconds)).toUTCString();
const rejected = {
  detail: [
    { type: "int_type", loc: ["body", "participant_limit"], msg: "Input should be a valid integer" },
    { loc: ["body", "aliases", 0, "alias"], msg: "Value error, not yours", input: "secret" },
    { loc: ["query"], msg: "Too long" },
    { loc: ["cookie", "session"], input: "secret" },
  ],
};
const reasons: Readonly<Record<string, string>> = {
  NotAuthenticatedError: "the credentials are not valid",
  NotAuthorizedError: "the caller is not allowed",
  RoomGoneError: "there is no such room",
  PoolEmptyError: "the pool is empty",
  RejectedFieldError:
    "rejected: participant_limit (Input should be a valid integer); aliases.0.alias (not yours); " +
    "query (Too long); session (not valid)",
  RateLimitedError: "the rate limit is exceeded",
  UnavailableError: "unavailable",
  UnexpectedResponseError: "unexpected response",
  NoResponseError: "the connection failed",
};

/** The class of the error, and the seconds that the call waits before each retry. */
type Outcome = readonly [name: string, ...waits: number[]];
const gone: Outcome = ["RoomGoneError"];

/** The outcome of every operation, unless there is another one of calls that name a room, or of a create. */
test.each<[Answer, Outcome, { room?: Outcome; create?: Outcome }?]>([
  [{ status: 400 }, ["UnexpectedResponseError"]],
  [{ status: 401 }, ["NotAuthenticatedError"]],
  [{ status: 403 }, ["NotAuthorizedError"]],
  [{ status: 404, headers: ofGateway }, ["UnexpectedResponseError"], { room: gone, create: gone }],
  // Of another server, or of the host: a create that is sent again gets the same. A browser may not see the header.
  [{ status: 404 }, ["UnexpectedResponseError"], { room: gone }],
  [after(404, "5"), ["UnexpectedResponseError"], { room: gone, create: ["PoolEmptyError", 5, 5, 5] }],
  [{ status: 422, body: rejected }, ["RejectedFieldError"]],
  [after(429, "12"), ["RateLimitedError", 12, 12, 12]],
  [{ status: 500 }, ["UnexpectedResponseError", 1]],
  [{ status: 502 }, ["UnexpectedResponseError"]],
  [{ status: 503 }, ["UnavailableError", 1, 2, 4]],
  [after(503, "0"), ["UnavailableError", 0, 0, 0]],
  [after(503, "19"), ["UnavailableError", 19, 19, 19]],
  [after(503, "61"), ["UnavailableError"]],
  [after(503, "5x"), ["UnavailableError", 1, 2, 4]],
  [{ status: 504 }, ["UnavailableError", 1, 2, 4]],
  ["reset", ["NoResponseError", 1, 2, 4]],
  [{ status: 302, headers: { location: "/" } }, ["NoResponseError", 1, 2, 4]],
  [{ status: 200, body: "<html>" }, ["UnexpectedResponseError"]],
])("The response %j becomes the same error in every operation: %j, or %j", async (answer, all, own = {}) => {
  const { client, url, waits } = await startScriptedGateway([answer]);
  const widget = createWidgetClient({ baseUrl: url, getToken: () => "agent" });
  const calls: [string, Outcome | undefined, () => Promise<unknown>][] = [
    ["POST /room/create", own.create, async () => client.createRoom({ idempotencyKey: "key-1" })],
    [`GET /room/${room.name}`, own.room, async () => client.getRoom(room.name)],
    [`PATCH /room/${room.name}`, own.room, async () => client.updateRoom(room.name, {})],
    [`DELETE /room/${room.name}`, own.room, async () => client.deleteRoom(room.name)],
    ["GET /room/list", all, async () => client.listRooms()],
    ["POST /room/bulk/", all, async () => client.fillPool()],
    ["DELETE /room/bulk/", all, async () => client.deleteAllRooms()],
    ["GET /public/health", all, async () => client.checkHealth()],
  ];
  // The widget's client waits in real time.
  if (all.length === 1)
    calls.push([`GET /public/room/${room.name}`, own.room, async () => widget.getRoom(room.name)]);
  for (const [operation, [name, ...expectedWaits] = all, call] of calls) {
    waits.length = 0;
    const error = await thrownBy(call());
    const end = name === "NoResponseError" ? "" : " (";
    const message = expect.stringContaining(`${operation}: ${reasons[name]}${end}`);
    const idempotencyKey = operation === "POST /room/create" ? "key-1" : undefined;
    expect(error).toMatchObject({ name, operation, message, attempts: expectedWaits.length + 1 });
    expect(error).toHaveProperty("idempotencyKey", idempotencyKey);
    expect(waits).toEqual(expectedWaits);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error instanceof UnavailableError).toBe(/^(Unavailable|RateLimited|NoResponse)/.test(name));
  }
});

test("A date in Retry-After is obeyed, and one in the past causes a retry at once", async () => {
  const { client, waits } = await startScriptedGateway([after(503, date(8))]);
  await thrownBy(client.createRoom());
  expect(waits).toEqual([8, 0, 0]);
});

test.each<[body: unknown, fields: readonly object[]]>([
  [
    rejected,
    [
      { name: "participant_limit", in: "body", reason: "Input should be a valid integer" },
      { name: "aliases.0.alias", in: "body", reason: "not yours" },
      { name: "query", in: "query", reason: "Too long" },
      { name: "session", in: "body", reason: "not valid" },
    ],
  ],
  [null, []],
  [{ detail: [null, 7, { loc: "body" }] }, []],
  ["<html>", []],
])("A 422 with the body %j has the fields %j, without their values", async (body, fields) => {
  const { client } = await startScriptedGateway([{ status: 422, body }]);
  const error = await thrownBy(client.createRoom());
  expect(error).toMatchObject({ name: "RejectedFieldError", fields });
  expect(inspect(error)).not.toContain("secret");
});

const challenge =
  'Bearer realm="vmr-gateway", error="invalid_token", error_description="The token has expired."';
const ofServer = {
  status: 502,
  headers: { "x-correlation-id": "of-server" },
  body: { detail: "No platform" },
};
const ofToken = { status: 401, headers: { "www-authenticate": challenge } };
test.each<[Answer, message: string, details: object]>([
  [
    ofServer,
    "unexpected response: No platform (502, correlation ID of-server)",
    { detail: "No platform", correlationId: "of-server" },
  ],
  [
    ofToken,
    "the credentials are not valid: The token has expired. (401, correlation ID of-caller)",
    { detail: "The token has expired.", correlationId: "of-caller" },
  ],
])("The error of %j says %s", async (answer, message, details) => {
  const { client } = await startScriptedGateway([answer]);
  const error = await thrownBy(client.listRooms({ correlationId: "of-caller" }));
  expect(error).toMatchObject({ message: `GET /room/list: ${message}`, ...details });
});

test("Errors and hooks contain no token, PIN or service tag, and a hook that throws ends no call", async () => {
  const events: unknown[] = [];
  const answers: Answer[] = [
    { status: 401 },
    "reset",
    { status: 503, body: { detail: "no platform", token: "token-2" } },
    { status: 200, body: room },
    { status: 422, body: { detail: [{ loc: ["query", "uuiData"], msg: "no", input: "68747470" }] } },
  ];
  const record = (event: unknown) => {
    events.push(event);
    throw new Error("the log is full");
  };
  const hooks = { onRequest: record, onResponse: record, onRetry: record };
  const { client } = await startScriptedGateway(answers, { hooks });
  expect(await client.createRoom({ serviceTag: room.tag, correlationId: "c-1" })).toEqual(room);
  const error = await thrownBy(client.createRoom({ serviceTag: room.tag }));
  const told = { method: "POST", path: "/room/create", correlationId: "c-1" };
  expect(events.slice(0, 9)).toMatchObject([
    { ...told, attempt: 1 },
    { ...told, attempt: 1, status: 401, milliseconds: 0 },
    { ...told, attempt: 1 },
    { ...told, attempt: 1, waitSeconds: 1, error: { name: "NoResponseError" } },
    { ...told, attempt: 2 },
    { ...told, attempt: 2, status: 503 },
    { ...told, attempt: 2, waitSeconds: 2, error: { name: "UnavailableError" } },
    { ...told, attempt: 3 },
    { ...told, attempt: 3, status: 200 },
  ]);
  const text = inspect([error, ...events], { depth: 9 });
  for (const secret of ["token-", room.guest_pin, room.tag, "68747470"]) expect(text).not.toContain(secret);
});

test.each(["", "agent\ntoken", null])(
  "The agent's invalid token %j is neither sent nor shown",
  async (token) => {
    const { url, requests } = await startScriptedGateway([{ status: 200, body: room }]);
    const widget = createWidgetClient({ baseUrl: url, getToken: () => token });
    const error = await thrownBy(widget.getRoom("a", { correlationId: "c-1" }));
    const told = { operation: "GET /public/room/a", correlationId: "c-1", status: undefined };
    expect(error).toMatchObject({ name: "NotAuthenticatedError", ...told });
    expect(inspect(error)).not.toContain("agent");
    expect(requests).toEqual([]);
  },
);

test.each([
  ["failed or timed out: ECONNREFUSED (no response", {}, { code: "ECONNREFUSED" }],
  ["failed, timed out or is refused by CORS: inner (no response", { document: {} }, {}],
])("A connection %s, if the globals are %j and the innermost cause has %j", async (reason, globals, own) => {
  const cause = new Error("outer", { cause: Object.assign(new Error("inner"), own) });
  const fetch = async () => {
    throw new TypeError("Failed to fetch", { cause });
  };
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { clientWith } = await startScriptedGateway([]);
  await expect(clientWith({ fetch }).checkHealth()).rejects.toThrow(`the connection ${reason}`);
});
