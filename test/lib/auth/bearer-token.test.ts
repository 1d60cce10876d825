/** Invalid bearer tokens: each one is 401 invalid_token. */
import { createHmac, createPublicKey } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSigningKey } from "../../../local/simulators/identity/signing-key.ts";
import { startTokenIssuer, type TokenIssuer } from "../../../local/simulators/identity/token-issuer.ts";
import { type BearerCheck, createBearerCheck } from "../../../src/lib/auth/bearer.ts";
import { fetchPublishedKeys } from "../../../src/lib/auth/published-keys.ts";
import { createSigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const tenantId = "11111111-1111-4111-8111-111111111111";
const otherTenantId = "44444444-4444-4444-8444-444444444444";
const clientId = "22222222-2222-4222-8222-222222222222";
const otherKey = createSigningKey().privatePem;
const invalidToken = {
  code: "unauthenticated",
  status: 401,
  details: { challenge: 'Bearer realm="vmr-gateway", error="invalid_token"' },
};

let issuer: TokenIssuer;
let check: BearerCheck;
beforeAll(async () => {
  issuer = await startTokenIssuer({ tenantId, clients: [] });
  const fetchKeys = async () => fetchPublishedKeys(issuer.url, tenantId);
  const keys = createSigningKeys(fetchKeys, createManualClock());
  check = createBearerCheck({ tenantId, audiences: [`api://${clientId}`], clientIds: [clientId] }, keys);
});
afterAll(async () => issuer.stop());

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const good = () => issuer.issueToken(clientId);
const withClaims = (claims: Record<string, unknown>) => issuer.issueToken(clientId, { claims });
const claimsOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());

const invalidTokens: Record<string, () => string> = {
  expired: () => withClaims({ exp: secondsFromNow(-90) }),
  "not valid yet": () => withClaims({ nbf: secondsFromNow(90) }),
  "without an expiry": () => {
    const { exp: _, ...others } = claimsOf(good());
    return issuer.signToken(others);
  },
  "signed by another key under a known key id": () =>
    issuer.signToken(claimsOf(good()), { key: otherKey, keyId: String(headerOf(good())["kid"]) }),
  "signed by another key under its own key id": () =>
    issuer.signToken(claimsOf(good()), { key: otherKey, keyId: "other-key" }),
  "of another tenant's issuer": () => withClaims({ iss: `${issuer.url}/${otherTenantId}/` }),
  "of another host's issuer": () => withClaims({ iss: `https://issuer.example.com/${tenantId}/` }),
  "of another tenant": () => withClaims({ tid: otherTenantId }),
  "for another audience": () => withClaims({ aud: "https://api.example.com" }),
  "for an audience that starts with ours": () => withClaims({ aud: `api://${clientId}/more` }),
  "without an audience": () => withClaims({ aud: undefined }),
  "without an issuer": () => withClaims({ iss: undefined }),
  "of a user, with delegated scope": () => withClaims({ scp: "access_as_user" }),
  "of a user, by token type": () => withClaims({ idtyp: "user" }),
  "with roles that are not a list": () => withClaims({ roles: "Rooms.Manage" }),
  "unsigned, alg none": () => `${encode({ ...headerOf(good()), alg: "none" })}.${encode(claimsOf(good()))}.`,
  "without its signature": () => `${good().split(".").slice(0, 2).join(".")}.`,
  "HS256 with the public key as its secret": () => {
    const publicPem = createPublicKey(issuer.privateKeyPem()).export({ type: "spki", format: "pem" });
    const signed = `${encode({ ...headerOf(good()), alg: "HS256" })}.${encode(claimsOf(good()))}`;
    return `${signed}.${createHmac("sha256", publicPem).update(signed).digest("base64url")}`;
  },
  "RS512 instead of RS256": () => issuer.signToken(claimsOf(good()), { algorithm: "RS512" }),
  "with changed claims under the old signature": () => {
    const [header, , signature] = good().split(".");
    return `${header}.${encode({ ...claimsOf(good()), appid: "other" })}.${signature}`;
  },
  "cut in half": () => good().slice(0, good().length / 2),
  "of 20 kB": () => withClaims({ padding: "x".repeat(20_000) }),
  "of slightly more than 8,192 characters": () => {
    const token = withClaims({ padding: "x".repeat(5400) });
    expect(token.length).toBeGreaterThan(8192);
    expect(token.length).toBeLessThan(8500);
    return token;
  },
  "without a key id": () => {
    const [, claims, signature] = good().split(".");
    return `${encode({ alg: "RS256", typ: "JWT" })}.${claims}.${signature}`;
  },
  "with a key id that is a number": () => {
    const [, claims, signature] = good().split(".");
    return `${encode({ alg: "RS256", typ: "JWT", kid: 1 })}.${claims}.${signature}`;
  },
  "whose claims are not an object": () => `${encode(headerOf(good()))}.${encode("text")}.x`,
  "that is not a JWT": () => "nonsense",
  "of three empty parts": () => "..",
};

test.each(Object.keys(invalidTokens))("the check throws 401 invalid_token for a token %s", async (name) => {
  const token = invalidTokens[name]?.() ?? "";
  await expect(check(`Bearer ${token}`, createRecordingLog())).rejects.toMatchObject(invalidToken);
});

test("the error names the reason for the log and contains no part of the token", async () => {
  const token = invalidTokens["expired"]?.() ?? "";
  const error: unknown = await check(`Bearer ${token}`, createRecordingLog()).catch(
    (cause: unknown) => cause,
  );

  expect(error).toMatchObject({
    details: { cause: { message: "not verified", cause: { message: "jwt expired" } } },
  });
  for (const part of token.split(".")) expect(JSON.stringify(error)).not.toContain(part);
});

test("the check throws 401 for any three parts under any header", async () => {
  const header = fc.record({
    alg: fc.constantFrom("RS256", "none", "HS256", 7),
    typ: fc.constantFrom("JWT", "jwt", "at+jwt", null),
    kid: fc.constantFrom(String(headerOf(good())["kid"]), "", "other", 0),
  });
  const part = fc.oneof(
    fc.jsonValue().map(encode),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64url")),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(header.map(encode), part), part, part, async (...parts) => {
      await expect(check(`Bearer ${parts.join(".")}`, createRecordingLog())).rejects.toMatchObject({
        code: "unauthenticated",
      });
    }),
    { numRuns: 300 },
  );
});
