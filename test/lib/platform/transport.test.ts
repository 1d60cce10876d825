/** HTTP exchanges with the platform: headers and credentials. */
import { generateKeyPairSync } from "node:crypto";
import jwt from "jsonwebtoken";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createConferences } from "../../../src/lib/platform/conferences.ts";
import {
  createBasicCredentials,
  createCredentials,
  type OAuthClient,
} from "../../../src/lib/platform/transport.ts";
import { createManualClock, type ManualClock } from "../../../tools/simulators/memory/clock.ts";
import {
  type Answer,
  type Reply,
  startLoopbackServer,
} from "../../../tools/simulators/services/loopback-server.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { newPlatformClient, conferencePath as path } from "../../support/use-platform.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

test("A call accepts JSON, and names the type of its body if it has one", async () => {
  const server = await startLoopbackServer(({ method, headers }) => ({
    status: method === "GET" ? 200 : 202,
    body: headers,
  }));
  onTestFinished(server.stop);
  const client = newPlatformClient(server.url);
  const { body: withoutBody } = await client.call({ method: "GET", path: "/" });
  expect(withoutBody).toMatchObject({ accept: "application/json" });
  expect(withoutBody).not.toHaveProperty("content-type");
  const { body: withBody } = await client.call({ method: "PATCH", path: "/", body: { tag: "x" } });
  expect(withBody).toMatchObject({ accept: "application/json", "content-type": "application/json" });
});

test("A page instead of JSON has an unknown outcome, whatever its status", async () => {
  const server = await startLoopbackServer(() => ({ status: 201, body: "<html>" }));
  onTestFinished(server.stop);
  const call = newPlatformClient(server.url).call({ method: "POST", path });
  await expect(call).rejects.toMatchObject({ outcome: "unknown", platformStatus: undefined });
});

test.each([
  ["its own host", (url: string) => `${url}/login/`, "platform-login-refused"],
  ["another host", () => "https://proxy.example.com/login/", "platform-unavailable"],
])("A redirect to a login page at %s is classified by whose page it is", async (_, locationAt, code) => {
  const location = () => locationAt(server.url);
  const server = await startLoopbackServer(() => ({ status: 302, headers: { location: location() } }));
  onTestFinished(server.stop);
  const call = newPlatformClient(server.url).call({ method: "GET", path });
  await expect(call).rejects.toMatchObject({ code });
});

test("`createBasicCredentials` encodes user name and password as UTF-8 (RFC 7617) and is not renewable", async () => {
  const credentials = createBasicCredentials("café", "pässword:1");
  const authorization = await credentials.authorization();
  expect(authorization).toBe("Basic Y2Fmw6k6cMOkc3N3b3JkOjE=");
  expect(credentials.invalidate(authorization)).toBe(false);
});

describe("With OAuth,", () => {
  const clientId = "33333333-3333-4333-8333-333333333333";
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const privateKey = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const publicKeyPem = keys.publicKey.export({ type: "spki", format: "pem" }).toString();

  /** The response to a token request, and to a call with a token. */
  let token: () => Answer;
  let respond: (authorization: string) => Answer;
  let forms: URLSearchParams[];
  let calls: number;
  const server = useStartedPerTest(async () =>
    startLoopbackServer(({ url, body, headers }) => {
      if (url.pathname !== "/oauth/token/") {
        calls += 1;
        return respond(String(headers.authorization));
      }
      forms.push(new URLSearchParams(body.toString()));
      return token();
    }),
  );
  let clock: ManualClock;
  beforeEach(() => {
    // The assertion contains real times, so the clock starts at the present.
    clock = createManualClock(Date.now());
    [forms, calls] = [[], 0];
    token = () => issued();
    respond = () => ({ status: 200, body: {} });
  });

  const issued = (more: object = {}) => ({
    status: 200,
    body: { access_token: `token-${forms.length}`, ...more },
  });
  const newLogIn = (changes: Partial<OAuthClient & { url: string; timeoutSeconds: number }> = {}) => {
    const { url = server.url, timeoutSeconds = 5, ...client } = changes;
    return createCredentials({ url, timeoutSeconds, logIn: { clientId, privateKey, ...client } }, clock);
  };
  const newClient = (credentials = newLogIn(), url = server.url) =>
    newPlatformClient(url, { credentials, clock });

  test.each([
    ["without a lifetime", undefined, 3540],
    ["of ten minutes", 600, 540],
    ["of 100 s", 100, 50],
  ])(
    "a token %s is used until a minute before it expires, or for half its lifetime",
    async (_, expires_in, seconds) => {
      token = () => issued({ expires_in });
      const credentials = newLogIn();
      expect(await credentials.authorization()).toBe("Bearer token-1");
      clock.advance(seconds - 0.001);
      expect(await credentials.authorization()).toBe("Bearer token-1");
      clock.advance(0.001);
      expect(await credentials.authorization()).toBe("Bearer token-2");
    },
  );

  test.each([[undefined], ["rooms"]])(
    "each token request has a short-lived ES256 assertion with its own ID, and the scope %s",
    async (scope) => {
      token = () => issued({ expires_in: 10 });
      const credentials = newLogIn({ scope });
      await credentials.authorization();
      clock.advance(10);
      await credentials.authorization();

      const ids = forms.map((form) => {
        const { client_assertion: assertion = "", ...others } = Object.fromEntries(form);
        expect(others).toEqual({
          grant_type: "client_credentials",
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
          ...(scope !== undefined && { scope }),
        });
        const claims = jwt.verify(assertion, publicKeyPem, { algorithms: ["ES256"] });
        expect(claims).toMatchObject({ iss: clientId, sub: clientId, aud: `${server.url}/oauth/token/` });
        const { jti, exp, iat } = typeof claims === "string" ? {} : claims;
        expect(Number(exp) - Number(iat)).toBe(300);
        return jti;
      });
      expect(new Set(ids).size).toBe(2);
    },
  );

  test("concurrent calls share one token request, and after a 401 one renewal", async () => {
    const client = newClient();
    const twentyCalls = async () =>
      Promise.all(Array.from({ length: 20 }, async () => client.call({ method: "GET", path })));
    await twentyCalls();
    expect(forms).toHaveLength(1);
    respond = (authorization) => ({ status: authorization === "Bearer token-1" ? 401 : 200, body: {} });
    await twentyCalls();
    expect(forms).toHaveLength(2);
  });

  test("a late refusal of an earlier token does not drop the token that replaced it", async () => {
    const credentials = newLogIn();
    await credentials.authorization();
    expect(credentials.invalidate("Bearer token-0")).toBe(true);
    expect(await credentials.authorization()).toBe("Bearer token-1");
  });

  test.each([
    [401, 2],
    [403, 1],
  ])("a call with a lasting status %i is sent with %i tokens, once each", async (status, times) => {
    respond = () => ({ status });
    const error = { code: "platform-login-refused", platformStatus: status };
    await expect(newClient().call({ method: "POST", path })).rejects.toMatchObject(error);
    expect([forms.length, calls]).toEqual([times, times]);
  });

  const failedWith = (platformError: unknown, platformMethod?: string) => ({
    failedCall: { platformMethod, platformError },
  });
  test.each<[string, Reply | "reset" | "silence", object]>([
    [
      "status 400",
      { status: 400 },
      { outcome: "refused", code: "platform-login-refused", details: failedWith(undefined) },
    ],
    ["status 403 and a page", { status: 403, body: "<html>" }, { outcome: "not-sent" }],
    [
      "status 429",
      { status: 429 },
      { outcome: "refused", code: "platform-unavailable", details: failedWith(undefined, "POST") },
    ],
    ["status 500", { status: 500 }, { outcome: "not-sent", code: "platform-unavailable" }],
    ["an empty token", { status: 200, body: { access_token: "" } }, { outcome: "not-sent" }],
    ["a reset", "reset", { code: "platform-unavailable", details: failedWith("ECONNRESET", "POST") }],
    [
      "silence",
      "silence",
      { code: "platform-timeout", details: failedWith(expect.stringContaining("TIME"), "POST") },
    ],
  ])(
    "a call is not sent after a token request with %s, and the next one retries",
    async (_, reply, expected) => {
      const isReply = typeof reply === "object";
      token = () =>
        isReply ? { body: { access_token: "token-of-a-failure", error: "secret-word" }, ...reply } : reply;
      if (reply === "silence") shortenTimeouts();
      const client = newClient();
      const error: unknown = await client.call({ method: "POST", path }).catch((cause: unknown) => cause);

      expect(error).toMatchObject({ outcome: "not-sent", ...expected });
      expect(JSON.stringify(error)).not.toMatch(/secret-word|token-of|html/);
      expect(calls).toBe(0);

      vi.restoreAllMocks();
      respond = () => ({ status: 201 });
      token = () => issued();
      // A platform that refuses too many calls is left alone.
      clock.advance(15);
      await expect(client.call({ method: "POST", path })).resolves.toBeDefined();
    },
  );

  test.each<[string, Reply]>([
    ["403", { status: 403 }],
    ["404", { status: 404 }],
    ["404 and a page", { status: 404, body: "<html>" }],
  ])("nothing follows for a room from a token request that gets %s", async (_, reply) => {
    token = () => reply;
    const conferences = createConferences(newClient());
    await expect(conferences.delete(1)).rejects.toMatchObject({ platformStatus: undefined });
  });
});
