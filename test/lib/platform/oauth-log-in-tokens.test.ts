/** Tokens of the OAuth log-in: lifetime, request and unusable responses. */
import { generateKeyPairSync } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../../../local/simulators/loopback-server.ts";
import { createPlatformClient } from "../../../src/lib/platform/client.ts";
import { createOAuthLogIn, type OAuthLogInOptions } from "../../../src/lib/platform/oauth-log-in.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";

const path = "/api/admin/configuration/v1/conference/";
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

let server: LoopbackServer;
let clock: ManualClock;
let forms: URLSearchParams[];
let token: () => Answer;
let callStatus: number;
let calls: number;
beforeEach(async () => {
  [forms, calls, callStatus] = [[], 0, 200];
  token = () => ({ status: 200, body: { access_token: `token-${forms.length}` } });
  clock = createManualClock();
  server = await startLoopbackServer(({ url, body }) => {
    if (url.pathname !== "/oauth/token/") {
      calls += 1;
      return { status: callStatus, body: {} };
    }
    forms.push(new URLSearchParams(body.toString()));
    return token();
  });
});
afterEach(async () => server.stop());

const newLogIn = (changes: Partial<OAuthLogInOptions> = {}) =>
  createOAuthLogIn({ url: server.url, clientId: "c", privateKey: pem, timeoutSeconds: 5, clock, ...changes });

test.each([
  ["without a lifetime", undefined, 3540],
  ["of ten minutes", 600, 540],
  ["of 100 s", 100, 50],
  ["of 10 s", 10, 5],
])(
  "a token %s is used until a minute before it expires, or for half its lifetime",
  async (_, expires_in, seconds) => {
    token = () => ({ status: 200, body: { access_token: `token-${forms.length}`, expires_in } });
    const logIn = newLogIn();
    expect(await logIn.authorization()).toBe("Bearer token-1");
    clock.advance(seconds - 0.001);
    expect(await logIn.authorization()).toBe("Bearer token-1");
    clock.advance(0.001);
    expect(await logIn.authorization()).toBe("Bearer token-2");
  },
);

test("the request contains a signed assertion, and a scope only if one is configured", async () => {
  await newLogIn().authorization();
  await newLogIn({ scope: "rooms" }).authorization();

  expect(forms.map((form) => [...form.keys()])).toEqual([
    ["grant_type", "client_assertion_type", "client_assertion"],
    ["grant_type", "client_assertion_type", "client_assertion", "scope"],
  ]);
  expect(forms[0]?.get("client_assertion_type")).toBe(
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  );
});

test.each([
  [400, "refused", "platform-login-refused"],
  [401, "refused", "platform-login-refused"],
  [499, "refused", "platform-login-refused"],
  [500, "not-sent", "platform-unavailable"],
  [429, "refused", "platform-unavailable"],
] as const)(
  "a log-in with status %i has the outcome `%s`, and its error contains the status but no body",
  async (status, outcome, code) => {
    token = () => ({ status, body: { access_token: "token-of-a-failure", error: "secret-word" } });
    const error: unknown = await newLogIn()
      .authorization()
      .catch((cause: unknown) => cause);

    expect(error).toMatchObject({
      outcome,
      code,
      platformStatus: status,
      message: expect.stringContaining(`log-in: status ${status}`),
    });
    expect(JSON.stringify(error)).not.toMatch(/secret-word|token-of/);
  },
);

test("an empty token is not accepted", async () => {
  token = () => ({ status: 200, body: { access_token: "" } });
  await expect(newLogIn().authorization()).rejects.toMatchObject({ outcome: "not-sent" });
});

test("a log-in without a response keeps the cause", async () => {
  token = () => "reset";
  await expect(newLogIn().authorization()).rejects.toMatchObject({
    message: "log-in: no response",
    cause: { code: "ECONNRESET" },
  });
});

test.each([403, 404, 409, 429, 500])(
  "a call with status %i causes no new token and is not retried",
  async (status) => {
    const logIn = newLogIn();
    const client = createPlatformClient({
      url: server.url,
      timeoutSeconds: 5,
      maxConcurrency: 5,
      logIn,
      clock,
    });
    callStatus = status;
    await expect(client.call({ method: "POST", path })).rejects.toMatchObject({ platformStatus: status });
    expect([forms.length, calls]).toEqual([1, 1]);
  },
);
