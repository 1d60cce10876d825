/** Bearer tokens of a real issuer: accepted, forbidden and invalid ones. */
import { describe, expect, test } from "vitest";
import { type BearerRules, createBearerCheck } from "../../../src/lib/auth/bearer.ts";
import { createSigningKeys, type SigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import type { Log } from "../../../src/lib/log.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { identities, tenant } from "../../../tools/simulators/identities.ts";
import { startTokenIssuer } from "../../../tools/simulators/token-issuer.ts";
import { forbiddenTokens, wrongTokens } from "../../support/credentials.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { useStarted } from "../../support/use-started.ts";

const { tenantId, clientId } = identities;
const otherClientId = "33333333-3333-4333-8333-333333333333";
const issuer = useStarted(async () => startTokenIssuer(tenant));

const rules: BearerRules = {
  tenantId,
  audiences: [`api://${clientId}`, clientId],
  clientIds: ["88888888-8888-4888-8888-888888888888", clientId],
};
let signingKeys: SigningKeys | undefined;
// The URL of the issuer is known once it has started.
const keys: SigningKeys = {
  find: async (keyId: string, log: Log) =>
    (signingKeys ??= createSigningKeys({ authority: issuer.url, tenantId }, systemClock)).find(keyId, log),
  prefetch: async () => undefined,
};
const check = async (authorization: string | null, changes: Partial<BearerRules> = {}) =>
  createBearerCheck({ ...rules, ...changes }, keys)(authorization, createRecordingLog());
const issue = (claims: Record<string, unknown> = {}) => issuer.issueToken(clientId, { claims });

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("The check accepts", () => {
  test.each([
    ["a version 1 token", () => `Bearer ${issuer.issueToken(clientId, { version: 1 })}`],
    ["a version 2 token", () => `Bearer ${issuer.issueToken(clientId, { version: 2 })}`],
    ["the scheme in lower case, and further spaces", () => `bearer   ${issue()}  `],
  ])("%s", async (_, authorization) => {
    await expect(check(authorization())).resolves.toBe(clientId);
  });

  test.each<[string, Record<string, unknown>, Partial<BearerRules>?]>([
    ["several audiences that include ours", { aud: ["https://api.example.com", clientId] }],
    ["the token type `app`", { idtyp: "app" }],
    ["no tenant claim, because the issuer names the tenant", { tid: undefined }],
    ["the required role", { roles: ["Rooms.Read", "Rooms.Manage"] }, { requiredRole: "Rooms.Manage" }],
    [
      "a tenant ID that the settings have in capital letters",
      { tid: "aaaaaaaa-1111-4111-8111-111111111111" },
      { tenantId: "AAAAAAAA-1111-4111-8111-111111111111" },
    ],
  ])("a token with %s", async (_, claims, changes) => {
    await expect(check(`Bearer ${issue(claims)}`, changes)).resolves.toBe(clientId);
  });

  test("a token that has expired within the tolerance of a minute", async () => {
    const exp = Math.floor(Date.now() / 1000) - 30;
    await expect(check(`Bearer ${issue({ exp })}`)).resolves.toBe(clientId);
  });

  test("a token of almost 8,192 characters", async () => {
    const token = issue({ groups: "x".repeat(5250) });
    expect(token.length).toBeGreaterThan(7800);
    expect(token.length).toBeLessThanOrEqual(8192);
    await expect(check(`Bearer ${token}`)).resolves.toBe(clientId);
  });
});

describe("The check throws 403 insufficient_scope for a valid token", () => {
  const forbidden = {
    code: "forbidden",
    status: 403,
    details: { challenge: 'Bearer realm="vmr-gateway", error="insufficient_scope"' },
  };

  test.each(Object.entries(forbiddenTokens))("%s", async (_, makeToken) => {
    await expect(check(`Bearer ${makeToken(issuer)}`)).rejects.toMatchObject(forbidden);
  });

  test("whose azp is another client, whatever its appid says", async () => {
    const token = issue({ azp: otherClientId, appid: clientId });
    await expect(check(`Bearer ${token}`)).rejects.toMatchObject(forbidden);
  });

  test("that has other roles than the required one", async () => {
    const token = issue({ roles: ["Rooms.Manage.All", "rooms.manage"] });
    const checked = check(`Bearer ${token}`, { requiredRole: "Rooms.Manage" });
    await expect(checked).rejects.toMatchObject(forbidden);
  });
});

test.each([null, "", "Bearer ", "Basic dXNlcjpwYXNz", "Bearer two words", "x Bearer token"])(
  "The check throws 401 without an error code if there is no token (%j)",
  async (authorization) => {
    await expect(check(authorization)).rejects.toMatchObject({
      code: "unauthenticated",
      status: 401,
      details: { challenge: 'Bearer realm="vmr-gateway"', reason: "no-token" },
    });
  },
);

test.each(["aaaa.bbbb.cccc", "Bearer Bearer aaaa"])(
  "The check says how to send a token: %j",
  async (sent) => {
    const hint = 'error_description="Send Bearer once, and then the token."';
    const details = { challenge: `Bearer realm="vmr-gateway", ${hint}` };
    await expect(check(sent)).rejects.toMatchObject({ code: "unauthenticated", details });
  },
);

const invalidTokens: Record<string, () => string> = {
  "for an audience that starts with ours": () => issue({ aud: `api://${clientId}/more` }),
  "without an audience": () => issue({ aud: undefined }),
  "without an issuer": () => issue({ iss: undefined }),
  "signed with RS512": () =>
    issuer.signToken(
      { aud: clientId, iss: `${issuer.url}/${tenantId}/`, exp: Date.now() },
      { algorithm: "RS512" },
    ),
  "of slightly more than 8,192 characters": () => {
    const token = issue({ padding: "x".repeat(5400) });
    expect(token.length).toBeGreaterThan(8192);
    expect(token.length).toBeLessThan(8500);
    return token;
  },
  "without a key id": () => [encode({ alg: "RS256", typ: "JWT" }), ...issue().split(".").slice(1)].join("."),
};

test.each(Object.entries({ ...wrongTokens, ...invalidTokens }))(
  "The check throws 401 invalid_token for a token %s",
  async (_, makeToken) => {
    await expect(check(`Bearer ${makeToken(issuer)}`)).rejects.toMatchObject({
      code: "unauthenticated",
      status: 401,
      details: { challenge: 'Bearer realm="vmr-gateway", error="invalid_token"' },
    });
  },
);

test.each<[string, () => string | undefined, string, Partial<BearerRules>?]>([
  ["expired", () => issue({ exp: 1 }), "has expired"],
  ["not-yet-valid", () => issue({ nbf: 9e9 }), "not valid yet"],
  ["audience", () => issue({ aud: "api://other" }), "AUTH_AUDIENCES"],
  ["issuer", () => issue({ iss: "https://issuer.example.com/" }), "issuer"],
  ["tenant", () => issue({ tid: otherClientId }), "another tenant"],
  ["claims", () => issue({ roles: "Rooms.Manage" }), "claim"],
  ["delegated", () => issue({ scp: "Rooms.Read" }), "for a user"],
  ["signature", () => wrongTokens["with its claims changed"]?.(issuer), "signature"],
  ["unknown-key", () => wrongTokens["of an unknown key"]?.(issuer), "does not publish"],
  ["malformed", () => "not-a-token", "not a JWT"],
  ["client", () => issue({ appid: otherClientId }), "AUTH_CLIENT_IDS"],
  ["role", () => issue(), "AUTH_REQUIRED_ROLE", { requiredRole: "Rooms.Manage" }],
])(
  "The error names the reason `%s` for the log, and only a local caller is told",
  async (reason, make, text, changes = {}) => {
    const token = make() ?? "";
    const errorOf = async (explainsFaults: boolean) =>
      check(`Bearer ${token}`, { ...changes, explainsFaults }).catch((error: unknown) => error);
    const code = reason === "client" || reason === "role" ? "insufficient_scope" : "invalid_token";
    const challenge = `Bearer realm="vmr-gateway", error="${code}"`;

    expect(await errorOf(false)).toMatchObject({ details: { reason, challenge } });
    const told = await errorOf(true);
    // RFC 6750 allows no quotation mark and no backslash in the description.
    const explained = new RegExp(`^${challenge}, error_description="[^"\\\\]*${text}[^"\\\\]*"$`);
    expect(told).toMatchObject({ details: { reason, challenge: expect.stringMatching(explained) } });
    for (const part of token.split(".")) expect(JSON.stringify(told)).not.toContain(part);
  },
);

test("The error of an expired token has the library's error as its cause, for the log", async () => {
  const cause = expect.objectContaining({ name: "TokenExpiredError" });
  await expect(check(`Bearer ${issue({ exp: 1 })}`)).rejects.toMatchObject({ cause });
});
