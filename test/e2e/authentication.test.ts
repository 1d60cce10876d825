/** Who may call what (specification 5), over HTTP. */
import { beforeAll, expect, test } from "vitest";
import { identities } from "../../tools/local/stack/identities.ts";
import { nameOf, operations } from "../support/api-operations.ts";
import { asAgent, asEventSink, forbiddenTokens, wrongTokens } from "../support/credentials.ts";
import { startRunningGateway, useRunningGateway } from "../support/running-gateway.ts";

const secondClientId = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa";

const gateway = useRunningGateway({
  settings: ({ AUTH_CLIENT_IDS = "", AUTH_AUDIENCES = "" }) => ({
    AUTH_CLIENT_IDS: `${AUTH_CLIENT_IDS}, ${secondClientId}`,
    AUTH_AUDIENCES: `${AUTH_AUDIENCES}, api://${secondClientId}`,
  }),
});
beforeAll(() => void gateway.addRoom("a-room"));

const privateRequests = operations
  .filter(({ path }) => path.startsWith("/room/"))
  .map((operation) => nameOf(operation).replace("{room_name}", "a-room"));
const realm = 'Bearer realm="vmr-gateway"';
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

// Bearer tokens: specification 5.1.

test("Private operations accept a token obtained with client credentials", async () => {
  const { clientId, clientSecret } = identities;
  const response = await fetch(gateway.stack.issuer.tokenUrl, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      scope: `api://${clientId}/.default`,
    }),
  });
  const token = (await response.json()) as { token_type: string; expires_in: number; access_token: string };
  expect(token).toMatchObject({ token_type: "Bearer", expires_in: 3599, ext_expires_in: 3599 });
  expect(await gateway.send("GET /room/a-room", bearer(token.access_token))).toMatchObject({ status: 200 });
});

test("The app fetches the signing keys when it starts, before any call", async () => {
  const started = await startRunningGateway();
  await expect.poll(() => started.stack.issuer.fetchCounts()).toMatchObject({ metadata: 2, keys: 2 });
  started.stack.issuer.setDown(true);
  expect(await started.sendAsApplication("GET /room/nobody")).toMatchObject({ status: 404 });
  await started.stop();
});

test("Private operations accept every listed client ID and reject all others", async () => {
  const { issuer } = gateway.stack;
  const second = issuer.issueToken(secondClientId);
  expect(await gateway.send("GET /room/a-room", bearer(second))).toMatchObject({ status: 200 });
  const third = issuer.issueToken("bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb", {
    claims: { aud: `api://${secondClientId}` },
  });
  expect(await gateway.send("GET /room/a-room", bearer(third))).toMatchObject({ status: 403 });
});

test.each(privateRequests)(
  "%s returns 401 without a token, 401 with an invalid token and 403 for another client",
  async (request) => {
    const { issuer } = gateway.stack;
    const refused = (status: number, detail: string, challenge: string) => ({
      status,
      json: { detail },
      headers: { "www-authenticate": challenge },
    });
    expect(await gateway.send(request)).toMatchObject(refused(401, "Not authenticated", realm));
    const wrong = bearer(wrongTokens["of an unknown key"]?.(issuer) ?? "");
    expect(await gateway.send(request, wrong)).toMatchObject(
      refused(
        401,
        "Not authenticated",
        expect.stringContaining(
          `${realm}, error="invalid_token", error_description="The token is signed with`,
        ),
      ),
    );
    const forbidden = bearer(forbiddenTokens["of another client (v1)"]?.(issuer) ?? "");
    expect(await gateway.send(request, forbidden)).toMatchObject(
      refused(
        403,
        "Not allowed",
        expect.stringContaining(`${realm}, error="insufficient_scope", error_description="The client`),
      ),
    );
    expect(gateway.room("a-room")).toBeDefined();
  },
);

test("The gateway accepts tokens of the old and the new key after a key rotation", async () => {
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

// Agents and the event sink: specification 5.2.

const publicRoom = async (headers: Record<string, string>) =>
  gateway.send("GET /public/room/a-room", { headers });

test("GET /public/room/{room_name} returns 200 for an agent of an authorised division", async () => {
  expect(await publicRoom(asAgent)).toMatchObject({ status: 200 });
});

test("GET /public/room/{room_name} returns 403 for an agent of another division", async () => {
  expect(await publicRoom({ "x-auth-token": identities.otherAgentToken })).toMatchObject({ status: 403 });
});

test.each<[string, Record<string, string>]>([
  ["no token", {}],
  ["an unknown token", { "x-auth-token": "nobody" }],
  ["a token of 20 kB", { "x-auth-token": "x".repeat(20_000) }],
  ["half of a token", { "x-auth-token": identities.agentToken.slice(0, 8) }],
])("GET /public/room/{room_name} returns 401 for %s", async (_, headers) => {
  expect(await publicRoom(headers)).toMatchObject({ status: 401, json: { detail: "Not authenticated" } });
});

test("GET /public/room/{room_name} returns 401 for a valid bearer token of the private operations", async () => {
  expect(await publicRoom(gateway.asApplication())).toMatchObject({ status: 401 });
});

const sink = async (headers: Record<string, string>) =>
  gateway.send("POST /public/event_sink", { headers, json: { event: "x", data: {} } });

test("POST /public/event_sink returns 204 with the valid credentials", async () => {
  expect(await sink(asEventSink())).toMatchObject({ status: 204 });
});

test.each<[string, Record<string, string>]>([
  ["no credentials", {}],
  ["a wrong password", asEventSink(identities.sinkUsername, "wrong")],
  ["a wrong user name", asEventSink("nobody")],
  ["credentials of 20 kB", asEventSink("x".repeat(15_000))],
  ["an agent's token", asAgent],
])("POST /public/event_sink returns 401 with %s", async (_, headers) => {
  expect(await sink(headers)).toMatchObject({
    status: 401,
    headers: { "www-authenticate": 'Basic realm="vmr-gateway", charset="UTF-8"' },
  });
});

test("GET /public/health returns 200 for anyone", async () => {
  expect(await gateway.send("GET /public/health")).toMatchObject({ status: 200 });
});
