/** Bearer tokens of a real issuer: which ones are accepted, and for which clients. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTokenIssuer, type TokenIssuer } from "../../../local/simulators/identity/token-issuer.ts";
import { type BearerRules, createBearerCheck } from "../../../src/lib/auth/bearer.ts";
import { fetchPublishedKeys } from "../../../src/lib/auth/published-keys.ts";
import { createSigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const tenantId = "11111111-1111-4111-8111-111111111111";
const clientId = "22222222-2222-4222-8222-222222222222";
const rules: BearerRules = {
  tenantId,
  audiences: [`api://${clientId}`, clientId],
  clientIds: ["99999999-9999-4999-8999-999999999999", clientId],
};

let issuer: TokenIssuer;
beforeAll(async () => {
  issuer = await startTokenIssuer({ tenantId, clients: [] });
});
afterAll(async () => issuer.stop());

async function check(authorization: string | null, changes: Partial<BearerRules> = {}): Promise<string> {
  const fetchKeys = async () => fetchPublishedKeys(issuer.url, tenantId);
  const keys = createSigningKeys(fetchKeys, createManualClock());
  return createBearerCheck({ ...rules, ...changes }, keys)(authorization, createRecordingLog());
}
const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("the check accepts", () => {
  test.each([1, 2] as const)("a version %i token of an allowed client", async (version) => {
    await expect(check(`Bearer ${issuer.issueToken(clientId, { version })}`)).resolves.toBe(clientId);
  });

  test("a token surrounded by spaces", async () => {
    await expect(check(`Bearer   ${issuer.issueToken(clientId)}  `)).resolves.toBe(clientId);
  });

  test("a token of almost 8,192 characters", async () => {
    const token = issuer.issueToken(clientId, { claims: { groups: "x".repeat(5250) } });
    expect(token.length).toBeGreaterThan(7800);
    expect(token.length).toBeLessThanOrEqual(8192);
    await expect(check(`Bearer ${token}`)).resolves.toBe(clientId);
  });

  test("a tenant ID in capital letters in the settings", async () => {
    const token = issuer.issueToken(clientId, { claims: { tid: "aaaaaaaa-1111-4111-8111-111111111111" } });
    await expect(
      check(`Bearer ${token}`, { tenantId: "AAAAAAAA-1111-4111-8111-111111111111" }),
    ).resolves.toBe(clientId);
  });

  test.each(["bearer", "BEARER"])("the scheme written as %s", async (scheme) => {
    await expect(check(`${scheme} ${issuer.issueToken(clientId)}`)).resolves.toBe(clientId);
  });

  test.each([
    ["several audiences that include ours", { aud: ["https://api.example.com", clientId] }],
    ["an expiry within the tolerance of a minute", { exp: secondsFromNow(-30) }],
    ["the token type `app`", { idtyp: "app" }],
    ["no tenant claim, because the issuer names the tenant", { tid: undefined }],
  ])("a token with %s", async (_, claims) => {
    await expect(check(`Bearer ${issuer.issueToken(clientId, { claims })}`)).resolves.toBe(clientId);
  });

  test("a token with the required role among its roles", async () => {
    const token = issuer.issueToken(clientId, { claims: { roles: ["Rooms.Read", "Rooms.Manage"] } });
    await expect(check(`Bearer ${token}`, { requiredRole: "Rooms.Manage" })).resolves.toBe(clientId);
  });
});

describe("the check throws 403 insufficient_scope for a valid token", () => {
  const forbidden = {
    code: "forbidden",
    status: 403,
    details: { challenge: 'Bearer realm="vmr-gateway", error="insufficient_scope"' },
  };

  test.each([1, 2] as const)("of another client, version %i", async (version) => {
    const other = issuer.issueToken("33333333-3333-4333-8333-333333333333", {
      version,
      claims: { aud: clientId },
    });
    await expect(check(`Bearer ${other}`)).rejects.toMatchObject(forbidden);
  });

  test("whose azp is another client, whatever its appid says", async () => {
    const claims = { azp: "33333333-3333-4333-8333-333333333333", appid: clientId };
    await expect(check(`Bearer ${issuer.issueToken(clientId, { claims })}`)).rejects.toMatchObject(forbidden);
  });

  test("that does not name a client", async () => {
    const token = issuer.issueToken(clientId, { claims: { appid: undefined } });
    await expect(check(`Bearer ${token}`)).rejects.toMatchObject(forbidden);
  });

  test.each([
    ["no roles", {}],
    ["other roles", { roles: ["Rooms.Manage.All", "rooms.manage"] }],
  ])("with %s if a role is required", async (_, claims) => {
    const token = issuer.issueToken(clientId, { claims });
    await expect(check(`Bearer ${token}`, { requiredRole: "Rooms.Manage" })).rejects.toMatchObject(forbidden);
  });
});

test("the check throws 401 for a valid token after another scheme", async () => {
  await expect(check(`x Bearer ${issuer.issueToken(clientId)}`)).rejects.toMatchObject({
    code: "unauthenticated",
    details: { challenge: 'Bearer realm="vmr-gateway"' },
  });
});

test.each([null, "", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "token", "Bearer two words"])(
  "the check throws 401 with a challenge without an error code if there is no token (%j)",
  async (authorization) => {
    await expect(check(authorization)).rejects.toMatchObject({
      code: "unauthenticated",
      details: { challenge: 'Bearer realm="vmr-gateway"' },
    });
  },
);
