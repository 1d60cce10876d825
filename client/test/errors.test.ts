/** The client's errors: one class per kind of failure, without secrets. */
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import { GatewayError, UnavailableError } from "../src/index.ts";
import { createWidgetClient } from "../src/widget.ts";

const ofGateway = { "x-invocation-id": "77777777-7777-4777-8777-777777777777" };
const retryAfter = { "retry-after": "400" };
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
};

test.each<[Answer & object, Record<string, string>]>([
  [{ status: 401 }, { all: "NotAuthenticatedError" }],
  [{ status: 403 }, { all: "NotAuthorizedError" }],
  [
    { status: 404, headers: ofGateway },
    { room: "RoomGoneError", create: "RoomGoneError", all: "UnexpectedResponseError" },
  ],
  // Of another server, or of the host: a create that is sent again gets the same. A browser may not see the header.
  [{ status: 404 }, { room: "RoomGoneError", all: "UnexpectedResponseError" }],
  [
    { status: 404, headers: retryAfter },
    { room: "RoomGoneError", create: "PoolEmptyError", all: "UnexpectedResponseError" },
  ],
  [{ status: 422, body: rejected }, { all: "RejectedFieldError" }],
  [{ status: 429, headers: retryAfter }, { all: "RateLimitedError" }],
  [{ status: 503, headers: retryAfter }, { all: "UnavailableError" }],
  [{ status: 502 }, { all: "UnexpectedResponseError" }],
  [{ status: 400 }, { all: "UnexpectedResponseError" }],
])("The response %j becomes an error of its own class in every operation", async (answer, expected) => {
  const { client, url } = await startScriptedGateway([answer]);
  const widget = createWidgetClient({ baseUrl: url, getToken: () => "agent" });
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
    const name = expected[kind] ?? expected["all"] ?? "";
    const error = await thrownBy(call());
    const message = expect.stringContaining(
      `${operation}: ${reasons[name]} (${answer.status}, correlation ID `,
    );
    expect(error).toMatchObject({ name, operation, message });
    expect(error).toBeInstanceOf(GatewayError);
    expect(error instanceof UnavailableError).toBe(["UnavailableError", "RateLimitedError"].includes(name));
  }
});

test("A rejected field has its name, location and reason, but not its value", async () => {
  const { client } = await startScriptedGateway([{ status: 422, body: rejected }]);
  const error = await thrownBy(client.updateRoom(room.name, {}));
  expect(error).toMatchObject({
    fields: [
      { name: "participant_limit", in: "body", reason: "Input should be a valid integer" },
      { name: "aliases.0.alias", in: "body", reason: "not yours" },
      { name: "query", in: "query", reason: "Too long" },
      { name: "session", in: "body", reason: "not valid" },
    ],
  });
  expect(inspect(error)).not.toContain("secret");
});

test.each([[null], [{ detail: "text" }], [{ detail: [null, 7, { loc: "body" }] }], ["<html>"]])(
  "A 422 with the unknown body %j has no fields",
  async (body) => {
    const { client } = await startScriptedGateway([{ status: 422, body }]);
    expect(await thrownBy(client.createRoom())).toMatchObject({ name: "RejectedFieldError", fields: [] });
  },
);

test("The gateway's text and the correlation ID of the response are in the error and its message", async () => {
  const detail = "The conferencing platform cannot be reached";
  const headers = { "x-correlation-id": "from-server" };
  const { client } = await startScriptedGateway([{ status: 502, headers, body: { detail } }]);
  expect(await thrownBy(client.listRooms({ correlationId: "from-caller" }))).toMatchObject({
    detail,
    correlationId: "from-server",
    message: `GET /room/list: unexpected response: ${detail} (502, correlation ID from-server)`,
  });
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

test("Errors and hooks contain no token, PIN or service tag", async () => {
  const events: unknown[] = [];
  const answers: Answer[] = [
    { status: 401 },
    "reset",
    { status: 503, body: { detail: "no platform", token: "token-2" } },
    { status: 200, body: room },
    { status: 422, body: { detail: [{ loc: ["query", "uuiData"], msg: "no", input: "68747470" }] } },
  ];
  const record = (event: unknown) => void events.push(event);
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

test("A create returns its room even if a hook throws", async () => {
  const fail = () => {
    throw new Error("the log is full");
  };
  const hooks = { onRequest: fail, onResponse: fail, onRetry: fail };
  const { client } = await startScriptedGateway([{ status: 503 }, { status: 200, body: room }], { hooks });
  expect(await client.createRoom()).toEqual(room);
});

test.each(["", "agent\ntoken", null])(
  "The agent's invalid token %j is neither sent nor shown",
  async (token) => {
    const { url, requests } = await startScriptedGateway([{ status: 200, body: room }]);
    const widget = createWidgetClient({ baseUrl: url, getToken: () => token });
    const error = await thrownBy(widget.getRoom("a", { correlationId: "c-1" }));
    const operation = "GET /public/room/a";
    const expected = { name: "NotAuthenticatedError", operation, correlationId: "c-1", status: undefined };
    expect(error).toMatchObject(expected);
    expect(inspect(error)).not.toContain("agent");
    expect(requests).toEqual([]);
  },
);

test("In a browser, the message of a failed connection names CORS", async () => {
  const fetch = async () => {
    throw new TypeError("Failed to fetch");
  };
  vi.stubGlobal("document", {});
  onTestFinished(() => void vi.unstubAllGlobals());
  const { clientWith } = await startScriptedGateway([]);
  await expect(clientWith({ fetch }).getRoom(room.name)).rejects.toThrow(
    "the connection failed, timed out or is refused by CORS: Failed to fetch",
  );
});
