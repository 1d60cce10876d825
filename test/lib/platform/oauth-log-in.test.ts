/** OAuth log-in to the platform: one shared token, renewed in time and after a 401, and responses without a token. */
import { generateKeyPairSync } from "node:crypto";
import jwt from "jsonwebtoken";
import { beforeEach, describe, expect, test } from "vitest";
import { createOAuthLogIn, type OAuthLogInOptions } from "../../../src/lib/platform/oauth-log-in.ts";
import { type Answer, startLoopbackServer } from "../../../tools/local/simulators/loopback-server.ts";
import { conferencePath as path } from "../../support/management-client.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { newPlatformClient, usePlatform } from "../../support/use-platform.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

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
const newLogIn = (changes: Partial<OAuthLogInOptions> = {}) =>
  createOAuthLogIn({ url: server.url, clientId, privateKey, timeoutSeconds: 5, clock, ...changes });
const newClient = (logIn = newLogIn(), url = server.url) => newPlatformClient(url, { logIn, clock });

describe("With the platform simulator", () => {
  const platform = usePlatform({ oauthClients: [{ clientId, publicKeyPem }] });

  test("twenty concurrent calls share one token request, and a revoked token is renewed once", async () => {
    const client = newClient(newLogIn({ url: platform.url }), platform.url);
    await Promise.all(Array.from({ length: 20 }, async () => client.call({ method: "GET", path })));
    expect(platform.requests().byOutcome).toEqual({ "200": 21 });

    platform.addFault({ kind: "status", status: 401, method: "GET", count: 1 });
    await expect(client.call({ method: "GET", path })).resolves.toBeDefined();
    expect(platform.requests().byRoute["POST /oauth/token/"]).toBe(2);
  });
});

test.each([
  ["without a lifetime", undefined, 3540],
  ["of ten minutes", 600, 540],
  ["of 100 s", 100, 50],
  ["of 10 s", 10, 5],
])(
  "A token %s is used until a minute before it expires, or for half its lifetime",
  async (_, expires_in, seconds) => {
    token = () => issued({ expires_in });
    const logIn = newLogIn();
    expect(await logIn.authorization()).toBe("Bearer token-1");
    clock.advance(seconds - 0.001);
    expect(await logIn.authorization()).toBe("Bearer token-1");
    clock.advance(0.001);
    expect(await logIn.authorization()).toBe("Bearer token-2");
  },
);

test.each([[undefined], ["rooms"]])(
  "Each token request has a short-lived ES256 assertion with its own ID, and the scope %s",
  async (scope) => {
    token = () => issued({ expires_in: 10 });
    const logIn = newLogIn({ scope });
    await logIn.authorization();
    clock.advance(10);
    await logIn.authorization();

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

test("Concurrent calls that get 401 with the same token cause one renewal", async () => {
  const client = newClient();
  await client.call({ method: "GET", path });
  respond = (authorization) => ({ status: authorization === "Bearer token-1" ? 401 : 200, body: {} });

  await Promise.all(Array.from({ length: 20 }, async () => client.call({ method: "GET", path })));
  expect(forms).toHaveLength(2);
});

test("A call fails if a new token is refused too", async () => {
  respond = () => ({ status: 401 });
  const error = { code: "platform-login-refused", platformStatus: 401 };
  await expect(newClient().call({ method: "GET", path })).rejects.toMatchObject(error);
  expect([forms.length, calls]).toEqual([2, 2]);
});

test.each([403, 404, 409, 429, 500])(
  "A call with status %i causes no new token and is not retried",
  async (status) => {
    respond = () => ({ status });
    const error = { platformStatus: status };
    await expect(newClient().call({ method: "POST", path })).rejects.toMatchObject(error);
    expect([forms.length, calls]).toEqual([1, 1]);
  },
);

describe("A call is not sent after a log-in", () => {
  test.each([
    [400, "refused", "platform-login-refused"],
    [401, "refused", "platform-login-refused"],
    [499, "refused", "platform-login-refused"],
    [429, "refused", "platform-unavailable"],
    [500, "not-sent", "platform-unavailable"],
  ] as const)(
    "with status %i, has the outcome %s, and its error contains the status but no body",
    async (status, outcome, code) => {
      token = () => ({ status, body: { access_token: "token-of-a-failure", error: "secret-word" } });
      const error: unknown = await newClient()
        .call({ method: "POST", path })
        .catch((cause: unknown) => cause);

      const message = expect.stringContaining(`log-in: status ${status}`);
      expect(error).toMatchObject({ outcome, code, platformStatus: status, message });
      expect(JSON.stringify(error)).not.toMatch(/secret-word|token-of/);
      expect([forms.length, calls]).toEqual([1, 0]);
    },
  );

  test.each<[string, Answer]>([
    ["an empty token", { status: 200, body: { access_token: "" } }],
    ["no token", { status: 200, body: { expires_in: 3600 } }],
    ["a page instead of JSON", { status: 200, body: "<html>" }],
    ["a redirect", { status: 302, headers: { location: "/elsewhere" } }],
  ])("that returns %s", async (_, answer) => {
    token = () => answer;
    const error = { outcome: "not-sent" };
    await expect(newClient().call({ method: "POST", path })).rejects.toMatchObject(error);
    expect([forms.length, calls]).toEqual([1, 0]);
  });

  test.each([
    ["reset", { message: "log-in: no response", cause: { code: "ECONNRESET" } }],
    ["silence", {}],
  ] as const)("that ends in a %s, and the next call retries", async (answer, error) => {
    token = () => answer;
    const client = newClient(newLogIn({ timeoutSeconds: 1.5 }));
    const refused = { outcome: "not-sent", ...error };
    await expect(client.call({ method: "PATCH", path })).rejects.toMatchObject(refused);
    token = () => issued();
    await expect(client.call({ method: "PATCH", path })).resolves.toBeDefined();
  });
});
