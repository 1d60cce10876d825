/** The client's errors: one class per kind of failure, without secrets. */
import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { createClient, GatewayError, UnavailableError } from "../../client/src/index.ts";
import { createRuntime } from "../../client/src/runtime.ts";
import { createTokenCache } from "../../client/src/tokens.ts";
import { createWidgetClient, createWidgetClientWith } from "../../client/src/widget.ts";
import type { Answer } from "../../tools/local/simulators/loopback-server.ts";
import { room, startScriptedGateway } from "../support/scripted-gateway.ts";

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
    ],
  });
  expect(inspect(error)).not.toContain("secret");
});

test.each([[{}], [{ detail: "text" }], [{ detail: [null, 7, { loc: "body" }] }], ["<html>"], [[]]])(
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
    { status: 503, body: { detail: "Bearer token-2" } },
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
  [{ baseUrl, getToken: "token" }, "getToken must be a function; got string"],
])("A client is refused at once with the options %j", (options, message) => {
  expect(() => createClient(options as never)).toThrow(`createClient: ${message}`);
  expect(() => createWidgetClient(options as never)).toThrow(`createWidgetClient: ${message}`);
});

test.each([null, undefined, 7])("The value %j is refused as a room name", async (name) => {
  const { client, requests } = await startScriptedGateway([{ status: 204 }]);
  await expect(client.getRoom(name as never)).rejects.toThrow(`${name} is not a room name`);
  expect(requests).toEqual([]);
});

test.each([0, -1, Number.NaN])("A timeout of %s seconds is refused", async (timeoutSeconds) => {
  const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
  await expect(client.getRoom(room.name, { timeoutSeconds })).rejects.toBeInstanceOf(TypeError);
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

test.each(["", "with space", "line\nbreak", "\u00e9", "x".repeat(256)])(
  "The idempotency key %j is refused before anything is sent",
  async (idempotencyKey) => {
    const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
    const message = "An idempotency key has 1 to 255 visible ASCII characters";
    await expect(client.createRoom({ idempotencyKey })).rejects.toThrow(new TypeError(message));
    expect(requests).toEqual([]);
  },
);

test("An invalid correlation ID is refused before anything is sent", async () => {
  const { client, requests } = await startScriptedGateway([{ status: 200, body: room }]);
  await expect(client.listRooms({ correlationId: "a b" })).rejects.toBeInstanceOf(TypeError);
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
