/** The local token issuer: refused requests, and control over HTTP. Its tokens and keys are those of most other tests. */
import jsonwebtoken from "jsonwebtoken";
import { expect, test } from "vitest";
import { useStartedPerTest } from "../../../../../test/support/use-started.ts";
import { startTokenIssuer } from "../../../simulators/identity/token-issuer.ts";
import { tokenForm } from "../../../stack/access-token.ts";
import { identities, tenant } from "../../../stack/identities.ts";

const { tenantId, clientId } = identities;

const issuer = useStartedPerTest(async () => startTokenIssuer(tenant));

async function askToken(fields: Record<string, string>) {
  const response = await fetch(issuer.tokenUrl, { method: "POST", body: new URLSearchParams(fields) });
  return { status: response.status, body: await response.json() };
}

test.each([
  ["wrong secret", { client_secret: "guess" }, 401, "invalid_client"],
  ["unknown client", { client_id: "nobody", scope: "api://nobody/.default" }, 401, "invalid_client"],
  ["no secret", { client_secret: "" }, 400, "invalid_request"],
  ["no grant type", { grant_type: "" }, 400, "invalid_request"],
  ["another grant type", { grant_type: "password" }, 400, "unsupported_grant_type"],
  ["somebody else's scope", { scope: "api://other/.default" }, 400, "invalid_scope"],
])("%s is refused", async (_, change, status, error) => {
  expect(await askToken({ ...tokenForm, ...change })).toMatchObject({ status, body: { error } });
});

test("The control API does over HTTP what the functions do in process", async () => {
  const keyId = () => jsonwebtoken.decode(issuer.issueToken(clientId), { complete: true })?.header.kid;
  const control = (path: string, body = {}) =>
    fetch(`${issuer.url}/control/${path}`, { method: "POST", body: JSON.stringify(body) });
  const before = keyId();
  await control("keys/rotate", { keepOld: false });
  expect(keyId()).not.toBe(before);

  const metadata = async () => fetch(`${issuer.url}/${tenantId}/.well-known/openid-configuration`);
  await control("down");
  await expect(metadata()).rejects.toThrow(/fetch failed/);
  await control("up");
  expect((await metadata()).status).toBe(200);
});
