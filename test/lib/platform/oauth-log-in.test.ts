/** OAuth log-in to the platform: one shared token, renewed in time and after a 401. */
import { generateKeyPairSync } from "node:crypto";
import jwt from "jsonwebtoken";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type LoopbackServer,
  type Reply,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import {
  type PlatformSimulator,
  startPlatformSimulator,
} from "../../../local/simulators/platform/platform-simulator.ts";
import { createPlatformClient } from "../../../src/lib/platform/client.ts";
import { createOAuthLogIn } from "../../../src/lib/platform/oauth-log-in.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const path = "/api/admin/configuration/v1/conference/";
const clientId = "33333333-3333-4333-8333-333333333333";
const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = {
  privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  publicKeyPem: publicKey.export({ type: "spki", format: "pem" }).toString(),
};

let platform: PlatformSimulator;
let clock: ManualClock;
let server: LoopbackServer | undefined;
beforeEach(async () => {
  // The assertion contains real times, so the clock starts at the present.
  clock = createManualClock(Date.now());
  platform = await startPlatformSimulator({
    username: "api-user",
    password: "api-password",
    oauthClients: [{ clientId, publicKeyPem: pem.publicKeyPem }],
  });
});
afterEach(async () => {
  await platform.stop();
  await server?.stop();
  server = undefined;
});

function newLogIn(url = platform.url, scope?: string, timeoutSeconds = 20) {
  return createOAuthLogIn({ url, clientId, privateKey: pem.privateKey, scope, timeoutSeconds, clock });
}
function newClient(url = platform.url, logIn = newLogIn(url)) {
  return createPlatformClient({ url, timeoutSeconds: 20, maxConcurrency: 5, logIn, clock });
}
const tokenRequests = () => platform.requests().byRoute["POST /oauth/token/"] ?? 0;

test("twenty concurrent calls share one token request", async () => {
  const client = newClient();
  await Promise.all(Array.from({ length: 20 }, async () => client.call({ method: "GET", path })));

  expect(tokenRequests()).toBe(1);
  expect(platform.requests().byOutcome).toEqual({ "200": 21 });
});

test("a token is renewed a minute before it expires", async () => {
  const logIn = newLogIn();
  const first = await logIn.authorization();
  clock.advance(3600 - 61);
  expect(await logIn.authorization()).toBe(first);
  clock.advance(1);
  expect(await logIn.authorization()).not.toBe(first);
  expect(tokenRequests()).toBe(2);
});

test("a revoked token is renewed once, and the call succeeds", async () => {
  const client = newClient();
  await client.call({ method: "GET", path });
  platform.addFault({ kind: "status", status: 401, method: "GET", count: 1 });

  await expect(client.call({ method: "GET", path })).resolves.toBeDefined();
  expect(tokenRequests()).toBe(2);
});

test("concurrent calls that get 401 with the same token cause one renewal", async () => {
  let issued = 0;
  let isFirstRevoked = false;
  server = await startLoopbackServer(({ url, headers }) => {
    if (url.pathname === "/oauth/token/") {
      issued += 1;
      return { status: 200, body: { access_token: `token-${issued}` } };
    }
    return { status: isFirstRevoked && headers.authorization === "Bearer token-1" ? 401 : 200, body: {} };
  });
  const client = newClient(server.url);
  await client.call({ method: "GET", path });
  isFirstRevoked = true;

  await Promise.all(Array.from({ length: 20 }, async () => client.call({ method: "GET", path })));
  expect(issued).toBe(2);
});

test("a call fails if a new token is refused too", async () => {
  platform.addFault({ kind: "status", status: 401, method: "GET" });

  await expect(newClient().call({ method: "GET", path })).rejects.toMatchObject({
    code: "platform-login-refused",
    platformStatus: 401,
  });
  expect(platform.requests().total).toBe(4);
});

test("each assertion is a short-lived ES256 token for the token address, with its own ID", async () => {
  const forms: URLSearchParams[] = [];
  server = await startLoopbackServer(({ body }) => {
    forms.push(new URLSearchParams(body.toString()));
    return { status: 200, body: { access_token: "t", expires_in: 10 } };
  });
  const logIn = newLogIn(server.url, "rooms");
  await logIn.authorization();
  clock.advance(10);
  await logIn.authorization();

  const assertions = forms.map((form) => {
    const claims = jwt.verify(form.get("client_assertion") ?? "", pem.publicKeyPem, {
      algorithms: ["ES256"],
    });
    return typeof claims === "string" ? {} : claims;
  });
  expect(assertions[0]).toMatchObject({ iss: clientId, sub: clientId, aud: `${server.url}/oauth/token/` });
  expect(Number(assertions[0]?.exp) - Number(assertions[0]?.iat)).toBe(300);
  expect(new Set(assertions.map((claims) => claims.jti)).size).toBe(2);
  expect(forms.map((form) => form.get("scope"))).toEqual(["rooms", "rooms"]);
  expect(forms.map((form) => form.get("grant_type"))).toEqual(["client_credentials", "client_credentials"]);
});

test.each<[string, Reply, string]>([
  ["a refusal", { status: 401, body: { error: "invalid_client" } }, "refused"],
  ["a server error", { status: 500 }, "not-sent"],
  ["a response without a token", { status: 200, body: { expires_in: 3600 } }, "not-sent"],
  ["a page instead of JSON", { status: 200, body: "<html>" }, "not-sent"],
  ["a redirect", { status: 302, headers: { location: "/elsewhere" } }, "not-sent"],
])("a call is not sent after %s at the log-in", async (_, reply, outcome) => {
  const paths: string[] = [];
  server = await startLoopbackServer(({ url }) => {
    paths.push(url.pathname);
    return reply;
  });

  await expect(newClient(server.url).call({ method: "POST", path })).rejects.toMatchObject({ outcome });
  expect(paths).toEqual(["/oauth/token/"]);
});

test.each(["reset", "silence"] as const)(
  "a call is not sent after a %s at the log-in, and the next call retries",
  async (answer) => {
    let isHealthy = false;
    server = await startLoopbackServer(({ url }) => {
      if (!isHealthy) return answer;
      return { status: 200, body: url.pathname === "/oauth/token/" ? { access_token: "t" } : {} };
    });
    const client = newClient(server.url, newLogIn(server.url, undefined, 1.5));

    await expect(client.call({ method: "PATCH", path })).rejects.toMatchObject({ outcome: "not-sent" });
    isHealthy = true;
    await expect(client.call({ method: "PATCH", path })).resolves.toBeDefined();
  },
);
