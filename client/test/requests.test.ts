/** What the client sends, and what it refuses before anything is sent. */
import { expect, test } from "vitest";
import { room, startScriptedGateway, thrownBy } from "../../test/support/scripted-gateway.ts";
import { createClient, type GatewayClient } from "../src/index.ts";
import { createWidgetClient } from "../src/widget.ts";

const ok = { status: 200, body: room };

test("Each call sends its method, path, query, credentials and body", async () => {
  const { client, url, requests } = await startScriptedGateway([
    ({ method }) => (method === "GET" ? ok : { status: 204 }),
  ]);
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
  await client.createRoom({ idempotencyKey: "order-4711", correlationId: "order-4711.1" });
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
    ["POST /room/create", own, undefined, ""],
  ]);
  const ofCreate = { "idempotency-key": "order-4711", "x-correlation-id": "order-4711.1" };
  expect(requests.at(-1)?.headers).toMatchObject(ofCreate);
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
test.each<[options: unknown, message: string]>([
  [undefined, "the options must be an object; got undefined"],
  [{ baseUrl: undefined, getToken }, "baseUrl must be an absolute URL; got undefined"],
  [{ baseUrl: "http://gateway.example.com", getToken }, "baseUrl must begin with https://"],
  [{ baseUrl: `${baseUrl}?x=1`, getToken }, otherParts],
  [{ baseUrl: "https://name@gateway.example.com", getToken }, otherParts],
  [{ baseUrl: "https://:word@gateway.example.com", getToken }, otherParts],
  [{ baseUrl, getToken: "token" }, "getToken must be a function; got string"],
  [{ baseURL: baseUrl, url: "", getToken }, "baseURL, url is not an option; options are baseUrl, getToken,"],
])("A client is refused at once with the options %j", (options, message) => {
  expect(() => createClient(options as never)).toThrow(`createClient: ${message}`);
  expect(() => createWidgetClient(options as never)).toThrow(`createWidgetClient: ${message}`);
});

test("A client takes https and http of this computer", () => {
  for (const url of [baseUrl, "http://localhost:7071", "http://127.0.0.1", "http://[::1]"])
    expect(() => createWidgetClient({ baseUrl: url, getToken, hooks: {}, fetch })).not.toThrow();
});

const tag = "https://verify.example.com/1";
const notObject = (caller: string, kind: string) => `${caller}: the options must be an object; got ${kind}`;
const unknown = (caller: string, name: string, own: string) =>
  `${caller}: ${name} is not an option; options are ${own}signal, timeoutSeconds, correlationId`;
const wrongId = "A correlation ID has 1 to 128 letters, digits, `.`, `_` or `-`";
const wrongTimeout = "timeoutSeconds must be greater than 0";
const wrongNumber = "fillPool: rooms must be a whole number from 0";

test.each<[keyof GatewayClient, unknown[], message: string]>([
  ["createRoom", [{ servicetag: tag }], unknown("createRoom", "servicetag", "serviceTag, idempotencyKey, ")],
  ["createRoom", [tag], notObject("createRoom", "string")],
  ["createRoom", [[tag]], notObject("createRoom", "an array")],
  ["createRoom", [null], notObject("createRoom", "null")],
  ["createRoom", [{ serviceTag: null }], "A service tag must be a string; got null"],
  ["getRoom", [null], "null is not a room name"],
  ["getRoom", ["a", { timeout: 5 }], unknown("GET /room/a", "timeout", "")],
  ["getRoom", ["a", { timeoutSeconds: 0 }], wrongTimeout],
  ["getRoom", ["a", { timeoutSeconds: Number.NaN }], wrongTimeout],
  ["listRooms", [{ correlationId: "a b" }], wrongId],
  ["fillPool", [{ timeout: 5 }], unknown("fillPool", "timeout", "rooms, ")],
  ["fillPool", [{ rooms: 2.5 }], wrongNumber],
  ["fillPool", [{ rooms: -1 }], wrongNumber],
  ["updateRoom", ["a", "locked"], "updateRoom: the change must be an object; got string"],
])("%s%j is refused before anything is sent, without showing a tag: %s", async (method, given, message) => {
  const { client, requests } = await startScriptedGateway([ok]);
  const call = client[method] as (...given: unknown[]) => Promise<unknown>;
  expect(await thrownBy(call(...given))).toEqual(new TypeError(message));
  expect(requests).toEqual([]);
});

test("A key that no header can carry, the name of another operation and a token that is not a string are refused", async () => {
  const { client, url, requests } = await startScriptedGateway([ok]);
  const wrongKey = "An idempotency key has 1 to 255 visible ASCII characters without a comma";
  for (const idempotencyKey of ["", "a b", "a,b", "a\nb", "\u00e9", "x".repeat(256), 5 as never])
    expect(await thrownBy(client.createRoom({ idempotencyKey }))).toEqual(new TypeError(wrongKey));
  for (const name of ["", ".", "..", "bulk", "BULK", "bulk/", "list", "List"])
    expect(await thrownBy(client.deleteRoom(name))).toEqual(new TypeError(`"${name}" is not a room name`));
  const widget = createWidgetClient({ baseUrl: url, getToken: () => ({ accessToken: "agent" }) as never });
  const wrongToken = "createWidgetClient: getToken must return a string or null; got object";
  expect(await thrownBy(widget.getRoom(room.name))).toEqual(new TypeError(wrongToken));
  expect(requests).toEqual([]);
});
