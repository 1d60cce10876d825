/** The client's errors: one class per kind of failure, without secrets. */
import { inspect } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import type { Answer } from "../../tools/simulators/loopback-server.ts";
import { GatewayError, UnavailableError } from "../src/index.ts";
import { createWidgetClient } from "../src/widget.ts";

const ofGateway = { "x-invocation-id": "77777777-7777-4777-8777-777777777777" };
const after = (status: number, retryAfter: string) => ({ status, headers: { "retry-after": retryAfter } });
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

/** The class of the error, and the seconds that a create waits before each retry. */
type Outcome = readonly [name: string, waits: readonly number[]];

interface Outcomes {
  readonly create?: Outcome;
  readonly room?: Outcome;
  /** Of all operations that are not named. */
  readonly all: Outcome;
}

const unexpected: Outcome = ["UnexpectedResponseError", []];
const gone: Outcome = ["RoomGoneError", []];

test.each<[Answer, Outcomes]>([
  [{ status: 400 }, { all: unexpected }],
  [{ status: 401 }, { all: ["NotAuthenticatedError", []] }],
  [{ status: 403 }, { all: ["NotAuthorizedError", []] }],
  [
    { status: 404, headers: ofGateway },
    { room: gone, create: gone, all: unexpected },
  ],
  // Of another server, or of the host: a create that is sent again gets the same. A browser may not see the header.
  [{ status: 404 }, { room: gone, all: unexpected }],
  [after(404, "5"), { room: gone, create: ["PoolEmptyError", [5, 5, 5]], all: unexpected }],
  [{ status: 422, body: rejected }, { all: ["RejectedFieldError", []] }],
  [after(429, "12"), { all: ["RateLimitedError", [12, 12, 12]] }],
  [{ status: 500 }, { all: ["UnexpectedResponseError", [1]] }],
  [{ status: 502 }, { all: unexpected }],
  [{ status: 503 }, { all: ["UnavailableError", [1, 2, 4]] }],
  [after(503, "7"), { all: ["UnavailableError", [7, 7, 7]] }],
  [after(503, "0"), { all: ["UnavailableError", [0, 0, 0]] }],
  [after(503, "-5"), { all: ["UnavailableError", [0, 0, 0]] }],
  [after(503, "19"), { all: ["UnavailableError", [19, 19, 19]] }],
  [after(503, "61"), { all: ["UnavailableError", []] }],
  [after(503, "5x"), { all: ["UnavailableError", [1, 2, 4]] }],
  [{ status: 504 }, { all: ["UnavailableError", [1, 2, 4]] }],
  ["reset", { all: ["NoResponseError", [1, 2, 4]] }],
  [{ status: 302, headers: { location: "/" } }, { all: ["NoResponseError", [1, 2, 4]] }],
  [{ status: 200, body: "<html>" }, { all: unexpected }],
])(
  "The response %j becomes the same error in every operation, after the same retries: %j",
  async (answer, outcomes) => {
    const { client, url, waits } = await startScriptedGateway([answer]);
    const widget = createWidgetClient({ baseUrl: url, getToken: () => "agent" });
    const create = async () => client.createRoom({ idempotencyKey: "key-1" });
    const calls: [string, keyof Outcomes, () => Promise<unknown>][] = [
      ["POST /room/create", "create", create],
      [`GET /room/${room.name}`, "room", async () => client.getRoom(room.name)],
      [`GET /room/${room.name}`, "room", async () => client.getFullRoom(room.name)],
      [
        `PATCH /room/${room.name}`,
        "room",
        async () => client.updateRoom(room.name, { participant_limit: 4 }),
      ],
      [`DELETE /room/${room.name}`, "room", async () => client.deleteRoom(room.name)],
      ["GET /room/list", "all", async () => client.listRooms()],
      ["GET /room/list", "all", async () => client.listFullRooms()],
      ["POST /room/bulk/", "all", async () => client.fillPool()],
      ["DELETE /room/bulk/", "all", async () => client.deleteAllRooms()],
      ["GET /public/health", "all", async () => client.checkHealth()],
    ];
    // The widget's client waits in real time.
    if (outcomes.all[1].length === 0)
      calls.push([`GET /public/room/${room.name}`, "room", async () => widget.getRoom(room.name)]);
    for (const [operation, kind, call] of calls) {
      const [name, expectedWaits] = outcomes[kind] ?? outcomes.all;
      waits.length = 0;
      const error = await thrownBy(call());
      const message = expect.stringContaining(`${operation}: ${reasons[name]}`);
      const attempts = expectedWaits.length + 1;
      expect(error).toMatchObject({ name, operation, message, attempts });
      expect(waits).toEqual(expectedWaits);
      expect(error).toBeInstanceOf(GatewayError);
      expect(error instanceof UnavailableError).toBe(/^(Unavailable|RateLimited|NoResponse)/.test(name));
      expect(error).toHaveProperty("idempotencyKey", kind === "create" ? "key-1" : undefined);
    }
  },
);

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
