/** What the client sends, and what it refuses before anything is sent. */
import { expect, test } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import { createClient } from "../src/index.ts";
import { createWidgetClient } from "../src/widget.ts";

const ok = { status: 200, body: room };

test("Each call sends its method, path, query, credentials and body", async () => {
  const { client, url, requests } = await startScriptedGateway([ok]);
  const widget = createWidgetClient({ baseUrl: `${url}/api//`, getToken: async () => "agent" });
  await client.getRoom("a/b?c#d%e f");
  await client.getFullRoom("a");
  await client.listRooms();
  await client.listFullRooms();
  await client.updateRoom("a", { participant_limit: 4 });
  await client.deleteRoom("a");
  await client.fillPool({ rooms: 0 });
  await client.fillPool();
  await client.deleteAllRooms();
  await client.checkHealth();
  await widget.getRoom("a");
  const sent = requests.map(({ method, url: { pathname, search }, headers, body }) => [
    `${method} ${pathname}${search}`,
    headers.authorization ?? headers["x-auth-token"],
    headers["content-type"],
    body.toString(),
  ]);
  const own = "Bearer token-1";
  expect(sent).toEqual([
    ["GET /room/a%2Fb%3Fc%23d%25e%20f", own, undefined, ""],
    ["GET /room/a?constrained_attributes=false", own, undefined, ""],
    ["GET /room/list", own, undefined, ""],
    ["GET /room/list?constrained_attributes=false", own, undefined, ""],
    ["PATCH /room/a", own, "application/json", '{"participant_limit":4}'],
    ["DELETE /room/a", own, undefined, ""],
    ["POST /room/bulk/?max_vmr=0", own, undefined, ""],
    ["POST /room/bulk/", own, undefined, ""],
    ["DELETE /room/bulk/", own, undefined, ""],
    ["GET /public/health", undefined, undefined, ""],
    ["GET /api/public/room/a", "agent", undefined, ""],
  ]);
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

const getToken = async () => null;
const baseUrl = "https://gateway.example.com";
const otherParts = "baseUrl must not contain credentials, a query or a fragment";
test.each<[unknown, string]>([
  [undefined, "the options must be an object; got undefined"],
  [{ baseUrl: undefined, getToken }, "baseUrl must be an absolute URL; got undefined"],
  [{ baseUrl: 7, getToken }, "baseUrl must be an absolute URL; got 7"],
  [
    { baseUrl: "gateway.example.com", getToken },
    'baseUrl must be an absolute URL; got "gateway.example.com"',
  ],
  [{ baseUrl: "http://gateway.example.com", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: "ftp://localhost", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: "localhost:7071", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: `${baseUrl}?x=1`, getToken }, otherParts],
  [{ baseUrl: `${baseUrl}#x`, getToken }, otherParts],
  [{ baseUrl: "https://name@gateway.example.com", getToken }, otherParts],
  [{ baseUrl: "https://:word@gateway.example.com", getToken }, otherParts],
  [{ baseUrl, getToken: "token" }, "getToken must be a function; got string"],
  [{ baseURL: baseUrl, url: "", getToken }, "baseURL, url is not an option; options are baseUrl, getToken,"],
])("A client is refused at once with the options %j", (options, message) => {
  expect(() => createClient(options as never)).toThrow(`createClient: ${message}`);
  expect(() => createWidgetClient(options as never)).toThrow(`createWidgetClient: ${message}`);
});

test.each([baseUrl, "http://localhost:7071", "http://127.0.0.1", "http://[::1]"])(
  "A client takes the URL %s, and every option that the message of a wrong one names",
  (url) => {
    const options = { baseUrl: url, getToken, hooks: {}, fetch };
    expect(() => createClient(options as never)).not.toThrow();
    expect(() => createWidgetClient(options)).not.toThrow();
  },
);

const notOptions = (caller: string, kind: string) => `${caller}: the options must be an object; got ${kind}`;
const unsupported = (caller: string, name: string, own: string) =>
  `${caller}: ${name} is not an option; options are ${own}signal, timeoutSeconds, correlationId`;
const wrongTag = "https://verify.example.com/1";
const ownOfCreate = "serviceTag, idempotencyKey, ";
const wrongKey = "An idempotency key has 1 to 255 visible ASCII characters without a comma";
const wrongTimeout = "timeoutSeconds must be greater than 0";

test("A wrong option or argument of a call is refused before anything is sent, without showing a tag", async () => {
  const { client, requests } = await startScriptedGateway([ok]);
  const create = async (options: unknown) => client.createRoom(options as never);
  const wrong = { timeout: 5 } as never;
  const calls: [call: Promise<unknown>, message: string][] = [
    [create({ servicetag: wrongTag }), unsupported("createRoom", "servicetag", ownOfCreate)],
    [create(wrongTag), notOptions("createRoom", "string")],
    [create([wrongTag]), notOptions("createRoom", "an array")],
    [create(null), notOptions("createRoom", "null")],
    [create({ serviceTag: null }), "A service tag must be a string; got null"],
    ...["", "a b", "a,b", "a\nb", "\u00e9", "x".repeat(256), 5].map(
      (idempotencyKey): [Promise<unknown>, string] => [create({ idempotencyKey }), wrongKey],
    ),
    ...["", ".", "..", "bulk", "BULK", "bulk/", "list", "List"].map((name): [Promise<unknown>, string] => [
      client.deleteRoom(name),
      `"${name}" is not a room name`,
    ]),
    [client.getRoom(null as never), "null is not a room name"],
    [client.getRoom("a", wrong), unsupported("GET /room/a", "timeout", "")],
    [client.getRoom("a", { timeoutSeconds: 0 }), wrongTimeout],
    [client.getRoom("a", { timeoutSeconds: Number.NaN }), wrongTimeout],
    [
      client.listRooms({ correlationId: "a b" }),
      "A correlation ID has 1 to 128 letters, digits, `.`, `_` or `-`",
    ],
    [client.listFullRooms(wrong), unsupported("GET /room/list", "timeout", "")],
    [client.checkHealth("now" as never), notOptions("GET /public/health", "string")],
    [client.fillPool(wrong), unsupported("fillPool", "timeout", "rooms, ")],
    [client.fillPool({ rooms: 2.5 }), "fillPool: rooms must be a whole number from 0"],
    [client.fillPool({ rooms: -1 }), "fillPool: rooms must be a whole number from 0"],
    [client.updateRoom("a", "locked" as never), "updateRoom: the change must be an object; got string"],
    [client.updateRoom("a", null as never), "updateRoom: the change must be an object; got null"],
  ];
  for (const [call, message] of calls) expect(await thrownBy(call)).toEqual(new TypeError(message));
  expect(requests).toEqual([]);
});

test("An agent's token that is not a text is a TypeError, and nothing is sent", async () => {
  const { url, requests } = await startScriptedGateway([ok]);
  const widget = createWidgetClient({ baseUrl: url, getToken: () => ({ accessToken: "agent" }) as never });
  const message = "createWidgetClient: getToken must return a string or null; got object";
  expect(await thrownBy(widget.getRoom(room.name))).toEqual(new TypeError(message));
  expect(requests).toEqual([]);
});

test("Two creates have different keys, and a caller's own key is sent unchanged", async () => {
  const gateway = await startScriptedGateway([ok]);
  await gateway.client.createRoom();
  await gateway.client.createRoom();
  await gateway.client.createRoom({ idempotencyKey: "order-4711", correlationId: "order-4711.1" });
  const [first, second, third] = gateway.requests.map(({ headers }) => headers);
  expect(first?.["idempotency-key"]).not.toBe(second?.["idempotency-key"]);
  expect(third).toMatchObject({ "idempotency-key": "order-4711", "x-correlation-id": "order-4711.1" });
});
