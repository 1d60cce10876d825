/** The local token issuer, read with the same libraries as the gateway uses. */
import jsonwebtoken from "jsonwebtoken";
import { JwksClient } from "jwks-rsa";
import { expect, test } from "vitest";
import { identities, tenant } from "../../../../local/gateway/identities.ts";
import { startTokenIssuer } from "../../../../local/simulators/identity/token-issuer.ts";
import { useStartedPerTest } from "../../../support/use-started.ts";

const { tenantId, clientId, clientSecret } = identities;
const form = {
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret,
  scope: `api://${clientId}/.default`,
};

const issuer = useStartedPerTest(async () => startTokenIssuer(tenant));

async function askToken(fields: Record<string, string>) {
  const response = await fetch(issuer.tokenUrl, { method: "POST", body: new URLSearchParams(fields) });
  const body: { access_token: string } = JSON.parse(await response.text());
  return { status: response.status, body };
}

async function metadata(segment: "" | "v2.0/"): Promise<{ issuer: string; jwks_uri: string }> {
  const response = await fetch(`${issuer.url}/${tenantId}/${segment}.well-known/openid-configuration`);
  return JSON.parse(await response.text());
}

async function verify(token: string, segment: "" | "v2.0/", audience: string) {
  const { issuer: issuerName, jwks_uri: jwksUri } = await metadata(segment);
  const keys = new JwksClient({ jwksUri, cache: false });
  const key = await keys.getSigningKey(jsonwebtoken.decode(token, { complete: true })?.header.kid);
  const options = { algorithms: ["RS256" as const], issuer: issuerName, audience };
  return jsonwebtoken.verify(token, key.getPublicKey(), options);
}

test("The token endpoint issues a version 1 token that its metadata and keys verify", async () => {
  const { status, body } = await askToken(form);
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3599, ext_expires_in: 3599 });

  expect(await verify(body.access_token, "", `api://${clientId}`)).toMatchObject({
    iss: `${issuer.url}/${tenantId}/`,
    appid: clientId,
    tid: tenantId,
    ver: "1.0",
    oid: expect.any(String),
    sub: expect.any(String),
    uti: expect.any(String),
  });
  const claims = jsonwebtoken.decode(body.access_token, { json: true });
  expect(Number(claims?.exp) - Number(claims?.iat)).toBe(3599);
});

test("issueToken returns a version 2 token that the metadata and keys of version 2 verify", async () => {
  const token = issuer.issueToken(clientId, { version: 2 });
  expect(await verify(token, "v2.0/", clientId)).toMatchObject({
    iss: `${issuer.url}/${tenantId}/v2.0`,
    azp: clientId,
    ver: "2.0",
  });
});

test.each([
  ["wrong secret", { client_secret: "guess" }, 401, "invalid_client"],
  ["unknown client", { client_id: "nobody", scope: "api://nobody/.default" }, 401, "invalid_client"],
  ["no secret", { client_secret: "" }, 400, "invalid_request"],
  ["no grant type", { grant_type: "" }, 400, "invalid_request"],
  ["another grant type", { grant_type: "password" }, 400, "unsupported_grant_type"],
  ["somebody else's scope", { scope: "api://other/.default" }, 400, "invalid_scope"],
])("%s is refused", async (_, change, status, error) => {
  expect(await askToken({ ...form, ...change })).toMatchObject({ status, body: { error } });
});

test("A key rotation that keeps the old key verifies old and new tokens; without it, only new ones", async () => {
  const first = issuer.issueToken(clientId);
  issuer.rotateKeys({ keepOld: true });
  const second = issuer.issueToken(clientId);
  await verify(first, "", `api://${clientId}`);
  await verify(second, "", `api://${clientId}`);

  issuer.rotateKeys({ keepOld: false });
  await expect(verify(second, "", `api://${clientId}`)).rejects.toThrow(/signing key/);
  await verify(issuer.issueToken(clientId), "", `api://${clientId}`);
});

test("signToken signs other claims, key IDs and algorithms for tests", () => {
  const token = issuer.signToken({ aud: "x" }, { keyId: "unknown", algorithm: "RS512" });
  const decoded = jsonwebtoken.decode(token, { complete: true });

  expect(decoded?.header).toMatchObject({ kid: "unknown", alg: "RS512" });
  expect(decoded?.payload).toEqual({ aud: "x" });
  const expired = issuer.issueToken(clientId, { version: 2, claims: { exp: 1 } });
  expect(() => jsonwebtoken.verify(expired, issuer.privateKeyPem())).toThrow(/expired/);
});

test("The issuer resets every connection while down, and counts fetches by kind", async () => {
  await metadata("");
  await fetch((await metadata("v2.0/")).jwks_uri);
  expect(issuer.fetchCounts()).toEqual({ metadata: 2, keys: 1, tokens: 0 });

  issuer.setDown(true);
  await expect(metadata("")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  issuer.setDown(false);
  expect((await metadata("")).issuer).toBe(`${issuer.url}/${tenantId}/`);
});

test("The control API does over HTTP what the functions do in process", async () => {
  const keyId = () => jsonwebtoken.decode(issuer.issueToken(clientId), { complete: true })?.header.kid;
  const control = (path: string, body = {}) =>
    fetch(`${issuer.url}/control/${path}`, { method: "POST", body: JSON.stringify(body) });
  const before = keyId();
  await control("keys/rotate", { keepOld: false });
  expect(keyId()).not.toBe(before);

  await control("down");
  await expect(metadata("")).rejects.toThrow(/fetch failed/);
  await control("up");
  await metadata("");
});
