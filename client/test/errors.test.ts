/** The client's errors: one class per kind of failure, without secrets. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { room, startScriptedGateway } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import { createClient, GatewayError, UnavailableError } from "../src/index.ts";
import { createRuntime } from "../src/runtime.ts";
import { createTokenCache } from "../src/tokens.ts";
import { createWidgetClient, createWidgetClientWith } from "../src/widget.ts";

const thrownBy = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no error",
    (error: unknown) => error,
  );

const retryAfter = { "retry-after": "400" };
const rejected = {
  detail: [
    { type: "int_type", loc: ["body", "participant_limit"], msg: "Input should be a valid integer" },
    {
      type: "value_error",
      loc: ["body", "aliases", 0, "alias"],
      msg: "Value error, not yours",
      input: "secret",
    },
    { loc: ["query"], msg: "Too long" },
    { loc: ["cookie", "session"], input: "secret" },
  ],
};

test.each<[Answer, Record<string, string>]>([
  [{ status: 401 }, { all: "NotAuthenticatedError" }],
  [{ status: 403 }, { all: "NotAuthorizedError" }],
  [{ status: 404 }, { room: "RoomGoneError", create: "RoomGoneError", all: "UnexpectedResponseError" }],
  [
    { status: 404, headers: retryAfter },
    { room: "RoomGoneError", create: "PoolEmptyError", all: "UnexpectedResponseError" },
  ],
  [{ status: 422, body: rejected }, { all: "RejectedFieldError" }],
  [{ status: 429, headers: retryAfter }, { all: "RateLimitedError" }],
  [{ status: 503, headers: retryAfter }, { all: "UnavailableError" }],
  [{ status: 502 }, { all: "UnexpectedResponseError" }],
  [{ status: 413 }, { all: "UnexpectedResponseError" }],
  [{ status: 400 }, { all: "UnexpectedResponseError" }],
])("The response %j becomes an error of its own class in every operation", async (answer, expected) => {
  const { client, runtime, url } = await startScriptedGateway([answer]);
  const widget = createWidgetClientWith(runtime, { baseUrl: url, getToken: () => "agent" });
  const calls: [string, string, () => Promise<unknown>][] = [
    ["POST /room/create", "create", async () => client.createRoom()],
    [`GET /room/${room.name}`, "room", async () => client.getRoom(room.name)],
    [`GET /room/${room.name}`, "room", async () => client.getFullRoom(room.name)],
    [`PATCH /room/${room.name}`, "room", async () => client.updateRoom(room.name, { participant_limit: 4 })],
    [`DELETE /room/${room.name}`, "room", async () => client.deleteRoom(room.name)],
    [`GET /public/room/${room.name}`, "room", async () => widget.getRoom(room.name)],
    ["GET /room/list", "list", async () => client.listRooms()],
    ["GET /room/list", "list", async () => client.listFullRooms()],
    ["POST /room/bulk/", "bulk", async () => client.fillPool()],
    ["DELETE /room/bulk/", "bulk", async () => client.deleteAllRooms()],
    ["GET /public/health", "health", async () => client.checkHealth()],
  ];
  for (const [operation, kind, call] of calls) {
    const name = expected[kind] ?? expected["all"];
    const error = await thrownBy(call());
    expect(error).toMatchObject({ name, operation });
    expect(error).toBeInstanceOf(GatewayError);
    expect(error instanceof UnavailableError).toBe(
      ["UnavailableError", "RateLimitedError"].includes(name ?? ""),
    );
  }
});

test("A rejected field has its name, location and reason, but not its value", async () => {
  const { client } = await startScriptedGateway([{ status: 422, body: rejected }]);
  const error = await thrownBy(client.updateRoom(room.name, {}));
  expect(error).toMatchObject({
    status: 422,
    fields: [
      { name: "participant_limit", in: "body", reason: "Input should be a valid integer" },
      { name: "aliases.0.alias", in: "body", reason: "Value error, not yours" },
      { name: "query", in: "query", reason: "Too long" },
      { name: "session", in: "body", reason: "not valid" },
    ],
  });
  expect(inspect(error)).not.toContain("secret");
});

test.each([[null], [{}], [{ detail: "text" }], [{ detail: [null, 7, { loc: "body" }] }], ["<html>"], [[]]])(
  "A 422 with the unknown body %j has no fields",
  async (body) => {
    const { client } = await startScriptedGateway([{ status: 422, body }]);
    expect(await thrownBy(client.createRoom())).toMatchObject({ name: "RejectedFieldError", fields: [] });
  },
);

test("The correlation ID of the response is in the error and its message", async () => {
  const { client } = await startScriptedGateway([
    { status: 502, headers: { "x-correlation-id": "from-server" } },
  ]);
  expect(await thrownBy(client.listRooms({ correlationId: "from-caller" }))).toMatchObject({
    correlationId: "from-server",
    message: "GET /room/list: unexpected response (502, correlation ID from-server)",
  });
});

test("Errors and hooks contain no token, PIN or service tag", async () => {
  const events: unknown[] = [];
  const answers: Answer[] = [
    { status: 401 },
    "reset",
    { status: 503, body: { detail: "no platform", token: "token-2" } },
    { status: 200, body: room },
    { status: 422, body: { detail: [{ loc: ["query", "uuiData"], msg: "no", input: "68747470" }] } },
  ];
  const hooks = {
    onRequest: (event: unknown) => void events.push(event),
    onResponse: (event: unknown) => void events.push(event),
    onRetry: (event: unknown) => void events.push(event),
  };
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

test("A create returns its room even if a hook throws", async () => {
  const fail = () => {
    throw new Error("the log is full");
  };
  const hooks = { onRequest: fail, onResponse: fail, onRetry: fail };
  const { client } = await startScriptedGateway([{ status: 503 }, { status: 200, body: room }], { hooks });
  expect(await client.createRoom()).toEqual(room);
});

test.each(["", ".", "..", "bulk", "BULK", "bulk/", "list", "List"])(
  "The text %j is not sent as a room name, because it leads to another operation",
  async (name) => {
    const { client, requests } = await startScriptedGateway([{ status: 204 }]);
    await expect(client.deleteRoom(name)).rejects.toThrow(new TypeError(`"${name}" is not a room name`));
    expect(requests).toEqual([]);
  },
);

test("A room name with reserved characters is one segment of the path", async () => {
  const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
  await client.getRoom("a/b?c#d%e f");
  expect(requests[0]?.url.pathname).toBe("/room/a%2Fb%3Fc%23d%25e%20f");
});

const getToken = async () => ({ accessToken: "", expiresInSeconds: 1 });
const baseUrl = "https://gateway.example.com";
test.each<[object, string]>([
  [{ baseUrl: undefined, getToken }, "baseUrl must be an absolute URL; got undefined"],
  [
    { baseUrl: "gateway.example.com", getToken },
    'baseUrl must be an absolute URL; got "gateway.example.com"',
  ],
  [{ baseUrl: "http://gateway.example.com", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: "ftp://gateway.example.com", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: "localhost:7071", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: `${baseUrl}?x=1`, getToken }, "baseUrl must not contain credentials, a query or a fragment"],
  [{ baseUrl: "https://name:word@gateway.example.com", getToken }, "baseUrl must not contain credentials"],
  [{ baseUrl, getToken: "token" }, "getToken must be a function; got string"],
  [{ baseURL: baseUrl, baseUrl, getToken }, "baseURL is not an option; options are baseUrl, getToken,"],
])("A client is refused at once with the options %j", (options, message) => {
  expect(() => createClient(options as never)).toThrow(`createClient: ${message}`);
  expect(() => createWidgetClient(options as never)).toThrow(`createWidgetClient: ${message}`);
});

test("A client takes every option that the message of a wrong one names", () => {
  const options = { baseUrl, getToken: async () => null, hooks: {}, fetch: globalThis.fetch };
  expect(() => createClient(options as never)).not.toThrow();
  expect(() => createWidgetClient(options)).not.toThrow();
});

test("A client without options is refused at once", () => {
  const message = "the options must be an object; got undefined";
  expect(() => createClient(undefined as never)).toThrow(`createClient: ${message}`);
  expect(() => createWidgetClient(undefined as never)).toThrow(`createWidgetClient: ${message}`);
});

test("No request has the page's cookies, follows a redirect or uses a cache", async () => {
  const sent: unknown[] = [];
  const fetch = async (_url: unknown, init?: RequestInit) => {
    sent.push(init);
    return Response.json(room);
  };
  const { clientWith } = await startScriptedGateway([]);
  await clientWith({ fetch }).getRoom(room.name);
  expect(sent).toMatchObject([{ credentials: "omit", redirect: "error", cache: "no-store" }]);
});

test("A pool of no rooms is requested as such", async () => {
  const { client, requests } = await startScriptedGateway([{ status: 202 }]);
  await client.fillPool({ rooms: 0 });
  await client.fillPool();
  expect(requests.map(({ url }) => url.search)).toEqual(["?max_vmr=0", ""]);
});

test("The gateway's text is in the error and its message", async () => {
  const detail = "The conferencing platform cannot be reached";
  const { client } = await startScriptedGateway([{ status: 503, headers: retryAfter, body: { detail } }]);
  expect(await thrownBy(client.createRoom())).toMatchObject({
    detail,
    message: expect.stringContaining(`POST /room/create: unavailable: ${detail} (503`),
  });
});

const notOptions = (caller: string, kind: string) => `${caller}: the options must be an object; got ${kind}`;
const callOptions = "signal, timeoutSeconds, correlationId";
const unsupported = (caller: string, name: string, own: string) =>
  `${caller}: ${name} is not an option; options are ${own}${callOptions}`;

test.each<[unknown, string]>([
  [
    { servicetag: "https://verify.example.com/1" },
    unsupported("createRoom", "servicetag", "serviceTag, idempotencyKey, "),
  ],
  ["https://verify.example.com/1", notOptions("createRoom", "string")],
  [["https://verify.example.com/1"], notOptions("createRoom", "an array")],
  [null, notOptions("createRoom", "null")],
  [{ serviceTag: null }, "A service tag is a text; got null"],
  [{ idempotencyKey: 5 }, "An idempotency key has 1 to 255 visible ASCII characters without a comma"],
])(
  "A create with %j is refused before a room is handed out, without showing the tag",
  async (options, message) => {
    const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
    expect(await thrownBy(client.createRoom(options as never))).toEqual(new TypeError(message));
    expect(requests).toEqual([]);
  },
);

test("A wrong option or argument of any other call is refused before anything is sent", async () => {
  const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
  const wrong = { timeout: 5 } as never;
  const calls: [call: Promise<unknown>, message: string][] = [
    [client.getRoom("a", wrong), unsupported("GET /room/a", "timeout", "")],
    [client.updateRoom("a", {}, wrong), unsupported("PATCH /room/a", "timeout", "")],
    [client.listFullRooms(wrong), unsupported("GET /room/list", "timeout", "")],
    [client.checkHealth("now" as never), notOptions("GET /public/health", "string")],
    [client.fillPool(wrong), unsupported("fillPool", "timeout", "rooms, ")],
    [client.fillPool({ rooms: 2.5 }), "fillPool: rooms must be a whole number from 0"],
    [client.fillPool({ rooms: -1 }), "fillPool: rooms must be a whole number from 0"],
    [client.updateRoom("a", "locked" as never), "updateRoom: the change must be an object; got string"],
  ];
  for (const [call, message] of calls) expect(await thrownBy(call)).toEqual(new TypeError(message));
  expect(requests).toEqual([]);
});

test("A wrong timeout, correlation ID, room name or idempotency key is refused before anything is sent", async () => {
  const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
  const keys = ["", "with space", "a,b", "line\nbreak", "\u00e9", "x".repeat(256)];
  const calls: Promise<unknown>[] = [
    ...[0, -1, Number.NaN].map(async (timeoutSeconds) => client.getRoom(room.name, { timeoutSeconds })),
    ...[null, undefined, 7].map(async (name) => client.getRoom(name as never)),
    ...keys.map(async (idempotencyKey) => client.createRoom({ idempotencyKey })),
    client.listRooms({ correlationId: "a b" }),
  ];
  for (const call of calls) expect(await thrownBy(call)).toBeInstanceOf(TypeError);
  expect(requests).toEqual([]);
});

test("In a browser, the message of a failed connection names CORS", async () => {
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  vi.stubGlobal("document", {});
  onTestFinished(() => void vi.unstubAllGlobals());
  const { runtime } = await startScriptedGateway([]);
  const client = createWidgetClientWith({ ...runtime, fetch }, { baseUrl, getToken: () => "agent" });
  await expect(client.getRoom(room.name)).rejects.toThrow(
    "the connection failed, timed out or is refused by CORS: Failed to fetch",
  );
});

test("The message of a 401 contains the reason that the gateway gives", async () => {
  const challenge =
    'Bearer realm="vmr-gateway", error="invalid_token", error_description="The token has expired."';
  const { client } = await startScriptedGateway([
    { status: 401, headers: { "www-authenticate": challenge } },
  ]);
  await expect(client.getRoom(room.name)).rejects.toThrow(
    "the credentials are not valid: The token has expired. (401",
  );
});

test("Removes its `abort` listener from the caller's signal", async () => {
  const { signal } = new AbortController();
  const runtime = createRuntime();
  const { clientWith } = await startScriptedGateway([
    { status: 401 },
    { status: 503, headers: { "retry-after": "0" } },
    { status: 200, body: room },
  ]);
  await clientWith({ wait: runtime.wait }).getRoom(room.name, { signal });
  const tokens = createTokenCache(getToken, runtime);
  await tokens.get(signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("An agent's token that is not a text is a TypeError, and nothing is sent", async () => {
  const { runtime, url, requests } = await startScriptedGateway([{ status: 200, body: room }]);
  const getToken = () => ({ accessToken: "agent" });
  const widget = createWidgetClientWith(runtime, { baseUrl: url, getToken: getToken as never });
  const message = "createWidgetClient: getToken must return a text or null; got object";
  expect(await thrownBy(widget.getRoom(room.name))).toEqual(new TypeError(message));
  expect(requests).toEqual([]);
});

test.each(["", "agent\ntoken", null])(
  "The agent's invalid token %j is neither sent nor shown",
  async (token) => {
    const { runtime, url, requests } = await startScriptedGateway([{ status: 200, body: room }]);
    const getToken = () => token;
    const call = createWidgetClientWith(runtime, { baseUrl: url, getToken }).getRoom(room.name);
    const error = await thrownBy(call);
    expect(error).toMatchObject({ name: "NotAuthenticatedError", status: undefined, attempts: 1 });
    expect(inspect(error)).not.toContain("agent");
    expect(requests).toEqual([]);
  },
);
