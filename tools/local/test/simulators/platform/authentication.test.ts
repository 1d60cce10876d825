/** Log-in to the simulated platform: Basic, bearer tokens for signed assertions, and refusals. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import jsonwebtoken from "jsonwebtoken";
import { expect, test } from "vitest";
import { conferencePath, managementClient } from "../../../../../test/support/management-client.ts";
import { usePlatform } from "../../../../../test/support/use-platform.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const clientId = "33333333-3333-4333-8333-333333333333";
const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();

const platform = usePlatform({ oauthClients: [{ clientId, publicKeyPem }] });

function assertion(claims: Record<string, unknown> = {}, key = privateKey): string {
  const audience = `${platform.url}/oauth/token/`;
  const own = { iss: clientId, sub: clientId, aud: audience, jti: randomUUID() };
  return jsonwebtoken.sign({ ...own, ...claims }, key, { algorithm: "ES256", expiresIn: 3600 });
}

async function askToken(signed: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${platform.url}/oauth/token/`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: signed,
    }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test.each([
  ["none", ""],
  ["wrong password", `Basic ${Buffer.from("api-user:wrong").toString("base64")}`],
  ["unknown token", "Bearer nonsense"],
])("Credentials %s get 401 with a challenge and without a body", async (_, authorization) => {
  const refused = await managementClient(platform, authorization)("GET", conferencePath);

  expect([refused.status, refused.text]).toEqual([401, ""]);
  expect(refused.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
});

test("A signed assertion gets a bearer token that is valid for an hour", async () => {
  const { status, body } = await askToken(assertion());
  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: "Bearer", expires_in: 3600 });

  const call = managementClient(platform, `Bearer ${String(body["access_token"])}`);
  expect((await call("GET", conferencePath)).status).toBe(200);
  platform.advanceClock(3600);
  expect((await call("GET", conferencePath)).status).toBe(401);
});

test("An assertion for another audience, with another key or by an unknown client is refused", async () => {
  const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const wrong = [
    assertion({ aud: "https://platform.example.com/oauth/token/" }),
    assertion({ iss: "unknown", sub: "unknown" }),
    assertion({}, otherKey),
    "nonsense",
  ];
  for (const signed of wrong) {
    expect(await askToken(signed)).toEqual({ status: 401, body: { error: "invalid_client" } });
  }
});

test("An assertion gets one token only", async () => {
  const signed = assertion();

  expect((await askToken(signed)).status).toBe(200);
  expect((await askToken(signed)).status).toBe(401);
});
