/** Who may call what: specification §5, and every wrong credential over HTTP. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";
import { forbiddenTokens, missingTokens, wrongTokens } from "../support/wrong-tokens.ts";

const secondClientId = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({
    settings: ({ AUTH_CLIENT_IDS = "", AUTH_AUDIENCES = "" }) => ({
      AUTH_CLIENT_IDS: `${AUTH_CLIENT_IDS}, ${secondClientId}`,
      AUTH_AUDIENCES: `${AUTH_AUDIENCES}, api://${secondClientId}`,
    }),
  });
  gateway.addRoom("a-room");
});
afterAll(async () => gateway.stop());

const privateRequests = [
  "POST /room/create",
  "POST /room/create/old",
  "GET /room/list",
  "GET /room/a-room",
  "PATCH /room/a-room",
  "DELETE /room/a-room",
  "POST /room/bulk/",
  "DELETE /room/bulk/",
];
const realm = 'Bearer realm="vmr-gateway"';
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test("§5.1 a token bought with the client-credentials form opens the private endpoints", async () => {
  const { clientId, clientSecret } = identities;
  const bought = await fetch(gateway.stack.issuer.tokenUrl, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: `api://${clientId}/.default`,
    }),
  });
  const token = (await bought.json()) as { token_type: string; expires_in: number; access_token: string };
  expect(token).toMatchObject({ token_type: "Bearer", expires_in: 3599, ext_expires_in: 3599 });
  expect(await gateway.send("GET /room/a-room", bearer(token.access_token))).toMatchObject({ status: 200 });
});

test.each([1, 2] as const)("§5.1 tokens of version %i are accepted", async (version) => {
  const token = gateway.stack.issuer.issueToken(identities.clientId, { version });
  expect(await gateway.send("GET /room/a-room", bearer(token))).toMatchObject({ status: 200 });
});

test("§5.1 each group of environments lists its own client ids: each of a list is let in, no other", async () => {
  const { issuer } = gateway.stack;
  const second = issuer.issueToken(secondClientId);
  expect(await gateway.send("GET /room/a-room", bearer(second))).toMatchObject({ status: 200 });
  const third = issuer.issueToken("bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb", {
    claims: { aud: `api://${secondClientId}` },
  });
  expect(await gateway.send("GET /room/a-room", bearer(third))).toMatchObject({ status: 403 });
});

test("§5.1 a token that has expired less than a minute ago is still accepted, as clocks differ", async () => {
  const exp = Math.floor(Date.now() / 1000) - 5;
  const token = gateway.stack.issuer.issueToken(identities.clientId, { claims: { exp } });
  expect(await gateway.send("GET /room/a-room", bearer(token))).toMatchObject({ status: 200 });
});

test.each(privateRequests)(
  "§5.1 %s: 401 without a token, 401 with a wrong one, 403 for another client",
  async (request) => {
    const { issuer } = gateway.stack;
    const none = await gateway.send(request);
    expect(none).toMatchObject({ status: 401, json: { detail: "Not authenticated" } });
    expect(none.headers["www-authenticate"]).toBe(realm);
    const wrong = await gateway.send(request, bearer(wrongTokens["of an unknown key"]?.(issuer) ?? ""));
    expect(wrong).toMatchObject({
      status: 401,
      headers: { "www-authenticate": `${realm}, error="invalid_token"` },
    });
    const forbidden = await gateway.send(
      request,
      bearer(forbiddenTokens["of another client (v1)"]?.(issuer) ?? ""),
    );
    expect(forbidden).toMatchObject({
      status: 403,
      json: { detail: "Not allowed" },
      headers: { "www-authenticate": `${realm}, error="insufficient_scope"` },
    });
    expect(gateway.room("a-room")).toBeDefined();
  },
);

test.each(Object.entries(wrongTokens))("§5.1 401 for a token %s", async (_, makeToken) => {
  expect(await gateway.send("GET /room/a-room", bearer(makeToken(gateway.stack.issuer)))).toMatchObject({
    status: 401,
    headers: { "www-authenticate": `${realm}, error="invalid_token"` },
  });
});

test.each(Object.entries(forbiddenTokens))("§5.1 403 for a token %s", async (_, makeToken) => {
  const answer = await gateway.send("GET /room/a-room", bearer(makeToken(gateway.stack.issuer)));
  expect(answer).toMatchObject({ status: 403 });
});

test.each(Object.entries(missingTokens))("§5.1 401 for %s", async (_, headers) => {
  expect(await gateway.send("GET /room/a-room", { headers })).toMatchObject({ status: 401 });
});

test("§5.1 keys that the provider has rotated are learnt", async () => {
  const other = await startRunningGateway();
  try {
    other.addRoom("a-room");
    const oldToken = other.asApplication();
    expect(await other.send("GET /room/a-room", { headers: oldToken })).toMatchObject({ status: 200 });
    other.stack.issuer.rotateKeys({ keepOld: true });
    expect(await other.send("GET /room/a-room", { headers: oldToken })).toMatchObject({ status: 200 });
    expect(await other.sendAsApplication("GET /room/a-room")).toMatchObject({ status: 200 });
  } finally {
    await other.stop();
  }
});

const publicRoom = async (headers: Record<string, string>) =>
  gateway.send("GET /public/room/a-room", { headers });

test("§5.2 GET /public/room/{room_name}: 200 for an agent of an authorised division", async () => {
  expect(await publicRoom(asAgent)).toMatchObject({ status: 200 });
});

test("§5.2 GET /public/room/{room_name}: 403 for an agent of another division", async () => {
  expect(await publicRoom({ "x-auth-token": identities.otherAgentToken })).toMatchObject({ status: 403 });
});

test.each<[string, Record<string, string>]>([
  ["no token", {}],
  ["an unknown token", { "x-auth-token": "nobody" }],
  ["a token of 20 kB", { "x-auth-token": "x".repeat(20_000) }],
  ["a token cut in half", { "x-auth-token": identities.agentToken.slice(0, 8) }],
])("§5.2 GET /public/room/{room_name}: 401 for %s", async (_, headers) => {
  expect(await publicRoom(headers)).toMatchObject({ status: 401, json: { detail: "Not authenticated" } });
});

test("§5.2 GET /public/room/{room_name}: 401 for a valid bearer token, which is for the private endpoints", async () => {
  expect(await publicRoom(gateway.asApplication())).toMatchObject({ status: 401 });
});

const sink = async (headers: Record<string, string>) =>
  gateway.send("POST /public/event_sink", { headers, json: { event: "x", data: {} } });

test("§5.2 POST /public/event_sink: 204 with the right credentials", async () => {
  expect(await sink(asEventSink())).toMatchObject({ status: 204 });
});

test.each<[string, Record<string, string>]>([
  ["none", {}],
  ["a wrong password", asEventSink(identities.sinkUsername, "wrong")],
  ["a wrong user", asEventSink("nobody")],
  ["20 kB of them", asEventSink("x".repeat(15_000))],
  ["the agent's", asAgent],
])("§5.2 POST /public/event_sink: 401 with %s", async (_, headers) => {
  expect(await sink(headers)).toMatchObject({
    status: 401,
    headers: { "www-authenticate": 'Basic realm="vmr-gateway", charset="UTF-8"' },
  });
});

test("§5.2 GET /public/health: 200 for anyone", async () => {
  expect(await gateway.send("GET /public/health")).toMatchObject({ status: 200 });
});
